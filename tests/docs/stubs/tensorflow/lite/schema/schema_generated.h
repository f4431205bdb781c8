// A stand-in; see README.md.
#pragma once

namespace tflite {
struct Model;
inline const Model *GetModel(const void *buffer) {
  return static_cast<const Model *>(buffer);
}
}  // namespace tflite
