// The command that writes traces for simulators.
#include "chakra.hpp"
