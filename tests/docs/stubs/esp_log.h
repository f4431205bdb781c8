// A stand-in; see README.md.
#pragma once
#include <cstdio>

#define ESP_LOGE(tag, ...) ((void)(tag), (void)std::printf(__VA_ARGS__))
#define ESP_LOGI(tag, ...) ((void)(tag), (void)std::printf(__VA_ARGS__))
