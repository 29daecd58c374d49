(function_definition) @function.outer
(function_definition
  body: (compound_statement . "{" (_)+ @function.inner "}"))

(struct_specifier) @class.outer
(struct_specifier body: (member_list) @class.inner)
(interface_block) @class.outer
(interface_block body: (member_list) @class.inner)

(for_statement) @loop.outer
(for_statement body: (_) @loop.inner)
(while_statement) @loop.outer
(while_statement body: (_) @loop.inner)
(do_statement) @loop.outer
(do_statement body: (_) @loop.inner)

(if_statement) @conditional.outer
(if_statement consequence: (_) @conditional.inner)
(if_statement alternative: (_) @conditional.inner)
(switch_statement) @conditional.outer
(switch_statement body: (_) @conditional.inner)

(call_expression) @call.outer
(call_expression arguments: (argument_list) @call.inner)

(parameter_list (parameter) @parameter.inner)
(argument_list (_) @parameter.inner)
(generic_type argument: (_) @parameter.inner)

(assignment_expression left: (_) @assignment.lhs right: (_) @assignment.rhs) @assignment.outer
(declarator name: (_) @assignment.lhs value: (_) @assignment.rhs) @assignment.outer

(compound_statement) @block.outer
(comment) @comment.outer
(return_statement) @return.outer
(return_statement value: (_) @return.inner)
