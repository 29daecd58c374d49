; What the outline lists.
(function_definition name: (identifier) @name) @item
(function_declaration name: (identifier) @name) @item
(struct_specifier "struct" @context name: (identifier) @name) @item
(interface_block name: (identifier) @name) @item
(translation_unit
  (declaration
    declarator: (declarator name: (identifier) @name)) @item)
(preproc_define name: (identifier) @name) @item
