# Writes a text file as a C++ source that defines it as an array of char:
#   cmake -DFROM=page.html -DTO=page.cpp -DNAMESPACE=ein::apps -DNAME=page -P EinEmbed.cmake
# "@include FILE@" in it stands for the text of FILE in the same folder.
file(READ ${FROM} text)
get_filename_component(folder ${FROM} DIRECTORY)
while(text MATCHES "@include ([A-Za-z0-9_.]+)@")
  set(name ${CMAKE_MATCH_1})
  file(READ ${folder}/${name} part)
  string(REPLACE "@include ${name}@" "${part}" text "${text}")
endwhile()
string(FIND "${text}" ")EMBEDDED" end)
if(NOT end EQUAL -1)
  message(FATAL_ERROR "${FROM}: expected a text without ')EMBEDDED', found it; reword it")
endif()
string(CONCAT source "namespace ${NAMESPACE} {\nextern char const ${NAME}[];\n"
  "char const ${NAME}[] = R\"EMBEDDED(${text})EMBEDDED\";\n}  // namespace ${NAMESPACE}\n")
file(WRITE ${TO} "${source}")
