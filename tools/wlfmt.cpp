// The command as one source, for one line of g++. CMake and Meson compile its two sources at the same time.
#include "main.cpp"

#include "outputs.cpp"
