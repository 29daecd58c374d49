//! The ids of nodes, tokens and fields. Made by `cargo xtask generate` from the generated parser: do not edit.

/// Named nodes, as `Node::kind_id` gives them.
pub mod kind {
    /// `argument_list`
    pub const ARGUMENT_LIST: u16 = 168;
    /// `array_specifier`
    pub const ARRAY_SPECIFIER: u16 = 115;
    /// `assignment_expression`
    pub const ASSIGNMENT_EXPRESSION: u16 = 156;
    /// `attribute`
    pub const ATTRIBUTE: u16 = 140;
    /// `attributes`
    pub const ATTRIBUTES: u16 = 139;
    /// `binary_expression`
    pub const BINARY_EXPRESSION: u16 = 158;
    /// `bool_literal`
    pub const BOOL_LITERAL: u16 = 92;
    /// `break_statement`
    pub const BREAK_STATEMENT: u16 = 149;
    /// `call_expression`
    pub const CALL_EXPRESSION: u16 = 166;
    /// `case_label`
    pub const CASE_LABEL: u16 = 143;
    /// `cast_expression`
    pub const CAST_EXPRESSION: u16 = 160;
    /// `comma_expression`
    pub const COMMA_EXPRESSION: u16 = 154;
    /// `comment`
    pub const COMMENT: u16 = 94;
    /// `compound_statement`
    pub const COMPOUND_STATEMENT: u16 = 135;
    /// `conditional_expression`
    pub const CONDITIONAL_EXPRESSION: u16 = 157;
    /// `condition_declaration`
    pub const CONDITION_DECLARATION: u16 = 147;
    /// `continue_statement`
    pub const CONTINUE_STATEMENT: u16 = 150;
    /// `declaration`
    pub const DECLARATION: u16 = 112;
    /// `declarator`
    pub const DECLARATOR: u16 = 114;
    /// `discard_statement`
    pub const DISCARD_STATEMENT: u16 = 151;
    /// `do_statement`
    pub const DO_STATEMENT: u16 = 146;
    /// `empty_statement`
    pub const EMPTY_STATEMENT: u16 = 137;
    /// `expression_statement`
    pub const EXPRESSION_STATEMENT: u16 = 136;
    /// `field_expression`
    pub const FIELD_EXPRESSION: u16 = 164;
    /// `field_identifier`
    pub const FIELD_IDENTIFIER: u16 = 188;
    /// `float_literal`
    pub const FLOAT_LITERAL: u16 = 91;
    /// `for_statement`
    pub const FOR_STATEMENT: u16 = 144;
    /// `function_declaration`
    pub const FUNCTION_DECLARATION: u16 = 107;
    /// `function_definition`
    pub const FUNCTION_DEFINITION: u16 = 106;
    /// `generic_type`
    pub const GENERIC_TYPE: u16 = 132;
    /// `identifier`
    pub const IDENTIFIER: u16 = 1;
    /// `if_statement`
    pub const IF_STATEMENT: u16 = 141;
    /// `incomplete_statement`
    pub const INCOMPLETE_STATEMENT: u16 = 153;
    /// `initializer_list`
    pub const INITIALIZER_LIST: u16 = 116;
    /// `interface_block`
    pub const INTERFACE_BLOCK: u16 = 117;
    /// `int_literal`
    pub const INT_LITERAL: u16 = 90;
    /// `layout_entry`
    pub const LAYOUT_ENTRY: u16 = 125;
    /// `layout_qualifier`
    pub const LAYOUT_QUALIFIER: u16 = 124;
    /// `macro_argument`
    pub const MACRO_ARGUMENT: u16 = 189;
    /// `macro_attribute`
    pub const MACRO_ATTRIBUTE: u16 = 190;
    /// `macro_statement`
    pub const MACRO_STATEMENT: u16 = 138;
    /// `macro_type`
    pub const MACRO_TYPE: u16 = 134;
    /// `member_block`
    pub const MEMBER_BLOCK: u16 = 123;
    /// `member_declaration`
    pub const MEMBER_DECLARATION: u16 = 122;
    /// `member_list`
    pub const MEMBER_LIST: u16 = 121;
    /// `parameter`
    pub const PARAMETER: u16 = 110;
    /// `parameter_list`
    pub const PARAMETER_LIST: u16 = 109;
    /// `parenthesized_expression`
    pub const PARENTHESIZED_EXPRESSION: u16 = 162;
    /// `postfix_expression`
    pub const POSTFIX_EXPRESSION: u16 = 165;
    /// `precision_declaration`
    pub const PRECISION_DECLARATION: u16 = 119;
    /// `preproc_conditional`
    pub const PREPROC_CONDITIONAL: u16 = 102;
    /// `preproc_define`
    pub const PREPROC_DEFINE: u16 = 99;
    /// `preproc_directive`
    pub const PREPROC_DIRECTIVE: u16 = 105;
    /// `preproc_extension`
    pub const PREPROC_EXTENSION: u16 = 103;
    /// `preproc_include`
    pub const PREPROC_INCLUDE: u16 = 98;
    /// `preproc_parameters`
    pub const PREPROC_PARAMETERS: u16 = 100;
    /// `preproc_text`
    pub const PREPROC_TEXT: u16 = 15;
    /// `preproc_undef`
    pub const PREPROC_UNDEF: u16 = 101;
    /// `preproc_version`
    pub const PREPROC_VERSION: u16 = 104;
    /// `primitive_type`
    pub const PRIMITIVE_TYPE: u16 = 37;
    /// `qualifier`
    pub const QUALIFIER: u16 = 26;
    /// `qualifier_declaration`
    pub const QUALIFIER_DECLARATION: u16 = 118;
    /// `return_statement`
    pub const RETURN_STATEMENT: u16 = 148;
    /// `spirv_argument`
    pub const SPIRV_ARGUMENT: u16 = 129;
    /// `spirv_list`
    pub const SPIRV_LIST: u16 = 130;
    /// `spirv_qualifier`
    pub const SPIRV_QUALIFIER: u16 = 127;
    /// `spirv_type`
    pub const SPIRV_TYPE: u16 = 128;
    /// `string_literal`
    pub const STRING_LITERAL: u16 = 93;
    /// `struct_specifier`
    pub const STRUCT_SPECIFIER: u16 = 120;
    /// `subroutine_qualifier`
    pub const SUBROUTINE_QUALIFIER: u16 = 126;
    /// `subscript_expression`
    pub const SUBSCRIPT_EXPRESSION: u16 = 163;
    /// `switch_statement`
    pub const SWITCH_STATEMENT: u16 = 142;
    /// `system_path`
    pub const SYSTEM_PATH: u16 = 3;
    /// `terminate_statement`
    pub const TERMINATE_STATEMENT: u16 = 152;
    /// `translation_unit`
    pub const TRANSLATION_UNIT: u16 = 97;
    /// `unary_expression`
    pub const UNARY_EXPRESSION: u16 = 159;
    /// `unknown_qualifier`
    pub const UNKNOWN_QUALIFIER: u16 = 191;
    /// `variadic_parameter`
    pub const VARIADIC_PARAMETER: u16 = 111;
    /// `while_statement`
    pub const WHILE_STATEMENT: u16 = 145;
}

/// Keywords, operators and punctuation, as `Node::kind_id` gives them.
pub mod token {
    /// `&`
    pub const AMP: u16 = 73;
    /// `&&`
    pub const AMP_AMP: u16 = 70;
    /// `&=`
    pub const AMP_EQ: u16 = 64;
    /// `!`
    pub const BANG: u16 = 85;
    /// `!=`
    pub const BANG_EQ: u16 = 75;
    /// `break`
    pub const BREAK: u16 = 50;
    /// `^`
    pub const CARET: u16 = 72;
    /// `^^`
    pub const CARET_CARET: u16 = 69;
    /// `^=`
    pub const CARET_EQ: u16 = 65;
    /// `case`
    pub const CASE: u16 = 44;
    /// `:`
    pub const COLON: u16 = 12;
    /// `,`
    pub const COMMA: u16 = 7;
    /// `continue`
    pub const CONTINUE: u16 = 51;
    /// `-`
    pub const DASH: u16 = 81;
    /// `--`
    pub const DASH_DASH: u16 = 88;
    /// `-=`
    pub const DASH_EQ: u16 = 61;
    /// `default`
    pub const DEFAULT: u16 = 45;
    /// `demote`
    pub const DEMOTE: u16 = 53;
    /// `discard`
    pub const DISCARD: u16 = 52;
    /// `do`
    pub const DO: u16 = 48;
    /// `.`
    pub const DOT: u16 = 89;
    /// `...`
    pub const DOT_DOT_DOT: u16 = 6;
    /// `else`
    pub const ELSE: u16 = 42;
    /// `=`
    pub const EQ: u16 = 18;
    /// `==`
    pub const EQ_EQ: u16 = 74;
    /// `for`
    pub const FOR: u16 = 46;
    /// `>`
    pub const GT: u16 = 39;
    /// `>=`
    pub const GT_EQ: u16 = 77;
    /// `>>`
    pub const GT_GT: u16 = 79;
    /// `>>=`
    pub const GT_GT_EQ: u16 = 63;
    /// `#define`
    pub const HASH_DEFINE: u16 = 4;
    /// `#extension`
    pub const HASH_EXTENSION: u16 = 11;
    /// `#include`
    pub const HASH_INCLUDE: u16 = 2;
    /// `#undef`
    pub const HASH_UNDEF: u16 = 9;
    /// `#version`
    pub const HASH_VERSION: u16 = 13;
    /// `if`
    pub const IF: u16 = 41;
    /// `ignoreIntersectionEXT`
    pub const IGNOREINTERSECTIONEXT: u16 = 56;
    /// `layout`
    pub const LAYOUT: u16 = 27;
    /// `{`
    pub const LBRACE: u16 = 21;
    /// `[`
    pub const LBRACK: u16 = 19;
    /// `(`
    pub const LPAREN: u16 = 5;
    /// `<`
    pub const LT: u16 = 38;
    /// `<=`
    pub const LT_EQ: u16 = 76;
    /// `<<`
    pub const LT_LT: u16 = 78;
    /// `<<=`
    pub const LT_LT_EQ: u16 = 62;
    /// `%`
    pub const PERCENT: u16 = 84;
    /// `%=`
    pub const PERCENT_EQ: u16 = 59;
    /// `|`
    pub const PIPE: u16 = 71;
    /// `|=`
    pub const PIPE_EQ: u16 = 66;
    /// `||`
    pub const PIPE_PIPE: u16 = 68;
    /// `+`
    pub const PLUS: u16 = 80;
    /// `+=`
    pub const PLUS_EQ: u16 = 60;
    /// `++`
    pub const PLUS_PLUS: u16 = 87;
    /// `precision`
    pub const PRECISION: u16 = 23;
    /// `\?`
    pub const QMARK: u16 = 67;
    /// `}`
    pub const RBRACE: u16 = 22;
    /// `]`
    pub const RBRACK: u16 = 20;
    /// `return`
    pub const RETURN: u16 = 49;
    /// `)`
    pub const RPAREN: u16 = 8;
    /// `;`
    pub const SEMI: u16 = 16;
    /// `/`
    pub const SLASH: u16 = 83;
    /// `/=`
    pub const SLASH_EQ: u16 = 58;
    /// `spirv_decorate`
    pub const SPIRV_DECORATE: u16 = 32;
    /// `spirv_decorate_id`
    pub const SPIRV_DECORATE_ID: u16 = 33;
    /// `spirv_decorate_string`
    pub const SPIRV_DECORATE_STRING: u16 = 34;
    /// `spirv_execution_mode`
    pub const SPIRV_EXECUTION_MODE: u16 = 30;
    /// `spirv_execution_mode_id`
    pub const SPIRV_EXECUTION_MODE_ID: u16 = 31;
    /// `spirv_instruction`
    pub const SPIRV_INSTRUCTION: u16 = 29;
    /// `spirv_storage_class`
    pub const SPIRV_STORAGE_CLASS: u16 = 35;
    /// `spirv_type`
    pub const SPIRV_TYPE: u16 = 36;
    /// `*`
    pub const STAR: u16 = 82;
    /// `*=`
    pub const STAR_EQ: u16 = 57;
    /// `struct`
    pub const STRUCT: u16 = 24;
    /// `subroutine`
    pub const SUBROUTINE: u16 = 28;
    /// `switch`
    pub const SWITCH: u16 = 43;
    /// `terminateInvocation`
    pub const TERMINATEINVOCATION: u16 = 54;
    /// `terminateRayEXT`
    pub const TERMINATERAYEXT: u16 = 55;
    /// `~`
    pub const TILDE: u16 = 86;
    /// `while`
    pub const WHILE: u16 = 47;
}

/// Fields, as `Node::child_by_field_id` takes them.
pub mod field {
    /// `alternative`
    pub const ALTERNATIVE: u16 = 1;
    /// `argument`
    pub const ARGUMENT: u16 = 2;
    /// `arguments`
    pub const ARGUMENTS: u16 = 3;
    /// `array`
    pub const ARRAY: u16 = 4;
    /// `base`
    pub const BASE: u16 = 5;
    /// `behavior`
    pub const BEHAVIOR: u16 = 6;
    /// `body`
    pub const BODY: u16 = 7;
    /// `condition`
    pub const CONDITION: u16 = 8;
    /// `consequence`
    pub const CONSEQUENCE: u16 = 9;
    /// `declarator`
    pub const DECLARATOR: u16 = 10;
    /// `directive`
    pub const DIRECTIVE: u16 = 11;
    /// `function`
    pub const FUNCTION: u16 = 12;
    /// `index`
    pub const INDEX: u16 = 13;
    /// `init`
    pub const INIT: u16 = 14;
    /// `instance`
    pub const INSTANCE: u16 = 15;
    /// `left`
    pub const LEFT: u16 = 16;
    /// `member`
    pub const MEMBER: u16 = 17;
    /// `name`
    pub const NAME: u16 = 18;
    /// `operand`
    pub const OPERAND: u16 = 19;
    /// `operator`
    pub const OPERATOR: u16 = 20;
    /// `parameters`
    pub const PARAMETERS: u16 = 21;
    /// `path`
    pub const PATH: u16 = 22;
    /// `profile`
    pub const PROFILE: u16 = 23;
    /// `right`
    pub const RIGHT: u16 = 24;
    /// `size`
    pub const SIZE: u16 = 25;
    /// `type`
    pub const TYPE: u16 = 26;
    /// `update`
    pub const UPDATE: u16 = 27;
    /// `value`
    pub const VALUE: u16 = 28;
    /// `version`
    pub const VERSION: u16 = 29;
}
