// A stand-in; see README.md. The Arduino build includes it before every sketch.
#pragma once
#include <cstddef>
#include <cstdint>

void setup();
void loop();
inline void delay(unsigned long) {}

struct HardwareSerial {
  void begin(unsigned long) {}
  void println(const char *) {}
  void println(int) {}
};
static HardwareSerial Serial;
