; Scopes
[
  (translation_unit)
  (function_definition)
  (function_declaration)
  (compound_statement)
  (for_statement)
  (while_statement)
  (if_statement)
] @local.scope

; Definitions
(function_definition name: (identifier) @local.definition.function)
(function_declaration name: (identifier) @local.definition.function)
(parameter name: (identifier) @local.definition.parameter)
(declaration
  declarator: (declarator name: (identifier) @local.definition.var))
(condition_declaration name: (identifier) @local.definition.var)
(struct_specifier name: (identifier) @local.definition.type)
(interface_block name: (identifier) @local.definition.type)
(interface_block
  instance: (declarator name: (identifier) @local.definition.var))
(member_declaration
  declarator: (declarator name: (identifier) @local.definition.field))
(preproc_define name: (identifier) @local.definition.macro)

; References
(identifier) @local.reference
