; Captures as Neovim's indent module reads them.

[
  (compound_statement)
  (member_list)
  (initializer_list)
  (argument_list)
  (parameter_list)
  (parenthesized_expression)
  (layout_qualifier)
] @indent.begin

; A body without braces.
(if_statement
  consequence: (_) @_body
  (#not-kind-eq? @_body "compound_statement")) @indent.begin
(for_statement
  body: (_) @_body
  (#not-kind-eq? @_body "compound_statement")) @indent.begin
(while_statement
  body: (_) @_body
  (#not-kind-eq? @_body "compound_statement")) @indent.begin

(compound_statement "}" @indent.end)
(member_list "}" @indent.end)
(initializer_list "}" @indent.end)
[ "}" ")" "]" ] @indent.branch
"else" @indent.branch
(case_label) @indent.branch

; Directives stand at the margin.
[
  (preproc_define)
  (preproc_undef)
  (preproc_include)
  (preproc_conditional)
  (preproc_extension)
  (preproc_version)
  (preproc_directive)
] @indent.zero

[ (comment) (string_literal) ] @indent.ignore
(ERROR) @indent.auto
