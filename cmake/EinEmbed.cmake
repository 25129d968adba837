# Writes a text file as a C++ source that defines it as an array of char:
#   cmake -DFROM=page.html -DTO=page.cpp -DNAMESPACE=ein::apps -DNAME=page -P EinEmbed.cmake
file(READ ${FROM} text)
string(FIND "${text}" ")EMBEDDED" end)
if(NOT end EQUAL -1)
  message(FATAL_ERROR "${FROM}: expected a text without ')EMBEDDED', found it; reword it")
endif()
file(WRITE ${TO} "namespace ${NAMESPACE} {\nextern char const ${NAME}[];\nchar const ${NAME}[] = R\"EMBEDDED(${text})EMBEDDED\";\n}  // namespace ${NAMESPACE}\n")
