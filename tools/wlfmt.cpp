// The command as a single source file, for one call to g++. CMake and Meson compile its two files in parallel.
#include "main.cpp"

#include "outputs.cpp"
