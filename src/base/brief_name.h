// Names of C++ functions and files as a table can hold them. Demangled names of templates fill pages; what tells them
// apart is the end of the qualified name.
#pragma once

#include <string>

namespace perfcast {

// A name of at most `columns` columns. What is short stays as it is; else the result type and the parameters go, then the
// template arguments ("std::_Map_base<…>::operator[]"), then the beginning.
std::string brief_name(const std::string& name, std::size_t columns = 40);

// A linkage name of C++ or Fortran as it is written; any other name as it is.
std::string demangled(const std::string& name);

// A procedure of Fortran by flang's linkage name: "area" for _QMshapesParea; any other name as it is.
std::string fortran_name(const std::string& name);

// A path of at most `columns` columns where its last part allows it: "…/bits/stl_algo.h".
std::string brief_path(const std::string& path, std::size_t columns = 40);

}  // namespace perfcast
