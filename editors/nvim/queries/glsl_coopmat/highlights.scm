; Later patterns win in editors that take the last match; those that take the first see the specific ones first in effect,
; because no node below is captured by two patterns of different meaning unless a comment says so.

; Names. The general pattern stands first and is overridden.
(identifier) @variable

((identifier) @constant
  (#match? @constant "^[A-Z][A-Z0-9_]*$"))

((identifier) @variable.builtin
  (#match? @variable.builtin "^gl_"))

((identifier) @constant.builtin
  (#match? @constant.builtin "^gl_(Max|Min|Scope|Semantics|StorageSemantics|MatrixUse|MatrixOperands|CooperativeMatrix|CooperativeVector|ComponentType|TensorView|RayFlags|HitKind|RayQuery)"))

(field_identifier) @variable.member

; Declarations
(function_definition name: (identifier) @function)
(function_declaration name: (identifier) @function)
(parameter name: (identifier) @variable.parameter)
(member_declaration
  declarator: (declarator name: (identifier) @variable.member))
(struct_specifier name: (identifier) @type.definition)
(interface_block name: (identifier) @type.definition)

; Variables that are matrices of one use. Editors without a colour for the last words take that of the first.
(declaration
  type: (generic_type argument: (identifier) @_use .)
  declarator: (declarator name: (identifier) @variable.matrix.a)
  (#eq? @_use "gl_MatrixUseA"))
(declaration
  type: (generic_type argument: (identifier) @_use .)
  declarator: (declarator name: (identifier) @variable.matrix.b)
  (#eq? @_use "gl_MatrixUseB"))
(declaration
  type: (generic_type argument: (identifier) @_use .)
  declarator: (declarator name: (identifier) @variable.matrix.accumulator)
  (#eq? @_use "gl_MatrixUseAccumulator"))

; Types
(primitive_type) @type.builtin
(generic_type name: (identifier) @type.builtin)
(declaration type: (identifier) @type)
(member_declaration type: (identifier) @type)
(parameter type: (identifier) @type)
(condition_declaration type: (identifier) @type)
(function_definition type: (identifier) @type)
(function_declaration type: (identifier) @type)
(cast_expression type: (identifier) @type)
(declaration type: (subscript_expression base: (identifier) @type))
(parameter type: (subscript_expression base: (identifier) @type))
(member_declaration type: (subscript_expression base: (identifier) @type))
(call_expression function: (subscript_expression base: (identifier) @type))

((identifier) @type.builtin
  (#match? @type.builtin "^([iu]?(subpassInput(MS)?|attachmentEXT)|(f16|i|u)?texture(1D|2D|3D|Cube|Buffer|2DRect|1DArray|2DArray|CubeArray|2DMS|2DMSArray)|sampler|samplerShadow|accelerationStructure(EXT|NV)|rayQueryEXT|hitObject(EXT|NV))$"))

; Calls
(call_expression function: (identifier) @function.call)
(call_expression
  function: (field_expression member: (field_identifier) @function.method.call))
((call_expression function: (identifier) @function.builtin)
  (#match? @function.builtin "^(coopMat|coopVec|createTensor|setTensor|sliceTensor|tensor[A-Z]|tensorARM|subgroup|atomic|image[A-Z]|texture|texel|barrier$|memoryBarrier|groupMemoryBarrier$|controlBarrier$|bitcastQCOM$|extractSubArrayQCOM$|vectorToCoopmatQCOM$|coopmatToVectorQCOM$|debugPrintfEXT$|nonuniformEXT$|rayQuery|traceRay|dot$|cross$|length$|normalize$|mix$|clamp$|min$|max$|abs$|exp2?$|log2?$|sqrt$|inversesqrt$|pow$|floor$|ceil$|fract$|mod$|sin$|cos$|tanh?$|fma$|pack|unpack|bitfield|bitCount$|find[LM]SB$)"))

; Qualifiers
(qualifier) @keyword.modifier
(layout_entry name: (identifier) @attribute)
(attribute name: (identifier) @attribute)
(unknown_qualifier) @constant.macro
(macro_attribute) @constant.macro
(macro_argument) @constant.macro
(macro_type
  (call_expression function: (identifier) @function.macro))
(macro_statement
  (call_expression function: (identifier) @function.macro))
(spirv_argument name: (identifier) @attribute)
[
  "layout"
  "subroutine"
  "precision"
  "spirv_instruction"
  "spirv_execution_mode"
  "spirv_execution_mode_id"
  "spirv_decorate"
  "spirv_decorate_id"
  "spirv_decorate_string"
  "spirv_storage_class"
] @keyword.modifier

; Keywords
"struct" @keyword.type
"spirv_type" @type.builtin
[ "if" "else" "switch" "case" "default" ] @keyword.conditional
[ "for" "while" "do" "break" "continue" ] @keyword.repeat
"return" @keyword.return
[ "discard" "demote" "terminateInvocation" "terminateRayEXT" "ignoreIntersectionEXT" ] @keyword.return

; Literals
(int_literal) @number
(float_literal) @number.float
(bool_literal) @boolean
(string_literal) @string
(comment) @comment

; Operators and punctuation
[
  "+" "-" "*" "/" "%" "++" "--"
  "=" "+=" "-=" "*=" "/=" "%=" "<<=" ">>=" "&=" "^=" "|="
  "==" "!=" "<=" ">="
  "&&" "||" "^^" "!"
  "&" "|" "^" "~" "<<" ">>"
] @operator
(binary_expression [ "<" ">" ] @operator)
(generic_type [ "<" ">" ] @punctuation.bracket)
(conditional_expression [ "?" ":" ] @keyword.conditional.ternary)
[ "(" ")" "[" "]" "{" "}" ] @punctuation.bracket
[ "," ";" "." ] @punctuation.delimiter
(case_label ":" @punctuation.delimiter)
(variadic_parameter) @punctuation.special

; Directives
(preproc_name) @keyword.directive
[ "#version" "#extension" ] @keyword.directive
[ "#define" "#undef" ] @keyword.directive.define
"#include" @keyword.import
(system_path) @string
(preproc_define name: (identifier) @constant.macro)
(preproc_define
  name: (identifier) @function.macro
  parameters: (preproc_parameters))
(preproc_parameters (identifier) @variable.parameter)
(preproc_undef name: (identifier) @constant.macro)
(preproc_extension name: (identifier) @module)
(preproc_extension behavior: (identifier) @keyword.directive)
(preproc_version profile: (identifier) @keyword.directive)
