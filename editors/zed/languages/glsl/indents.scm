; Captures as Zed's indentation reads them.
(compound_statement "}" @end) @indent
(member_list "}" @end) @indent
(initializer_list "}" @end) @indent
(argument_list ")" @end) @indent
(parameter_list ")" @end) @indent
