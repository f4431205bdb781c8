// A stand-in; see README.md.
#pragma once
#include <cstddef>
#include <cstdint>

enum TfLiteStatus { kTfLiteOk, kTfLiteError };

union TfLitePtrUnion {
  float *f;
  int8_t *int8;
};

struct TfLiteTensor {
  TfLitePtrUnion data;
  size_t bytes;
};

namespace tflite {
struct Model;

class MicroOpResolver {
 public:
  virtual ~MicroOpResolver() {}
};

class MicroInterpreter {
 public:
  MicroInterpreter(const Model *, const MicroOpResolver &, uint8_t *, size_t) {}
  TfLiteStatus AllocateTensors() { return kTfLiteError; }
  TfLiteStatus Invoke() { return kTfLiteError; }
  TfLiteTensor *input(size_t) { return &tensor_; }
  TfLiteTensor *output(size_t) { return &tensor_; }
  size_t arena_used_bytes() const { return 0; }

 private:
  TfLiteTensor tensor_ = {};
};
}  // namespace tflite
