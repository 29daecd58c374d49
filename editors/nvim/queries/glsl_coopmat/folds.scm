[
  (compound_statement)
  (member_list)
  (initializer_list)
  (argument_list)
  (parameter_list)
  (preproc_define)
  (comment)
] @fold
