# Write the SQL files SOURCES, one after the other, as the C array opcat_schema_sql into OUTPUT.
set(bytes "")
foreach(source IN LISTS SOURCES)
  file(READ ${source} hex HEX)
  string(APPEND bytes ${hex})
endforeach()
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
string(REGEX REPLACE "((0x.., ){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made from schema/ by the build. */\nextern const char opcat_schema_sql[];\nconst char opcat_schema_sql[] = {\n${bytes}0};\n")
