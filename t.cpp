#include <wlfmt/table.hpp>
int main(){}
