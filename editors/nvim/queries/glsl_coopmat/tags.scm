(function_definition name: (identifier) @name) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(struct_specifier name: (identifier) @name) @definition.class
(interface_block name: (identifier) @name) @definition.interface
(interface_block
  instance: (declarator name: (identifier) @name)) @definition.variable
(translation_unit
  (declaration
    declarator: (declarator name: (identifier) @name)) @definition.variable)
(preproc_define name: (identifier) @name) @definition.macro

(call_expression function: (identifier) @name) @reference.call
(declaration type: (identifier) @name) @reference.type
(parameter type: (identifier) @name) @reference.type
(member_declaration type: (identifier) @name) @reference.type
