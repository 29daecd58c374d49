/**
 * @file The OpenGL Shading Language with its cooperative-matrix family of types.
 *
 * One grammar for two uses. *Expanded* text (after preprocessing) is what meaning is read from: a valid shader gives no error
 * node. *Surface* text still has its directives and macros: directives are extras and may stand anywhere, and macros stand where
 * types, qualifiers, statements and arguments do. README.md lists every node and says how the ambiguities are decided.
 */

/// <reference types="tree-sitter-cli/dsl" />

const PREC = {
  comma: 1,
  assignment: 2,
  conditional: 3,
  logicalOr: 4,
  logicalXor: 5,
  logicalAnd: 6,
  or: 7,
  xor: 8,
  and: 9,
  equality: 10,
  relational: 11,
  shift: 12,
  additive: 13,
  multiplicative: 14,
  unary: 15,
  postfix: 16,
};

/** Storage, precision, interpolation, memory and other qualifiers that are one word. */
const QUALIFIERS = [
  // GLSL 4.60 and ESSL 3.20
  'const', 'in', 'out', 'inout', 'uniform', 'buffer', 'shared', 'attribute', 'varying', 'centroid', 'patch', 'sample',
  'flat', 'smooth', 'noperspective', 'highp', 'mediump', 'lowp', 'invariant', 'precise',
  'coherent', 'volatile', 'restrict', 'readonly', 'writeonly',
  // GL_KHR_memory_scope_semantics and later memory qualifiers
  'devicecoherent', 'queuefamilycoherent', 'workgroupcoherent', 'subgroupcoherent', 'shadercallcoherent', 'nonprivate',
  'nontemporal',
  // ray tracing
  'rayPayloadEXT', 'rayPayloadInEXT', 'hitAttributeEXT', 'callableDataEXT', 'callableDataInEXT', 'shaderRecordEXT',
  'rayPayloadNV', 'rayPayloadInNV', 'hitAttributeNV', 'callableDataNV', 'callableDataInNV', 'shaderRecordNV',
  'hitObjectAttributeNV', 'hitObjectAttributeEXT',
  // mesh shading, fragment interpolation
  'taskPayloadSharedEXT', 'perprimitiveEXT', 'perprimitiveNV', 'perviewNV', 'taskNV', 'pervertexEXT', 'pervertexNV',
  '__explicitInterpAMD',
  // descriptor heaps, tile images, SPIR-V intrinsics
  'resourceheap', 'samplerheap', 'tileImageEXT', 'spirv_by_reference', 'spirv_literal',
];

/**
 * Types that take arguments in angle brackets. These words stay ordinary identifiers wherever no argument list follows:
 * `vector` and `coopmat` are reserved only in shaders that enable the extension.
 */
const GENERIC_TYPES = [
  'coopmat', 'fcoopmatNV', 'icoopmatNV', 'ucoopmatNV', 'coopvecNV', 'vector', 'tensorLayoutNV', 'tensorViewNV', 'tensorARM',
];

/**
 * Reserved type names of the core languages, and the numeric types of the extensions. Opaque types that only Vulkan reserves
 * (`sampler`, `texture2D`, ...) are absent on purpose: older shaders have variables and functions of these names, and a type may be
 * any identifier.
 */
const PRIMITIVE_TYPES = new RegExp([
  'void', 'bool', 'int', 'uint', 'float', 'double', 'atomic_uint',
  '[biud]?vec[234]',
  'd?mat[234](x[234])?',
  'u?int(8|16|32|64)_t',
  '[iu](8|16|32|64)vec[234]',
  'b?float16_t', 'float(32|64)_t', 'float(e5m2|e4m3|e2m1|e3m2|e2m3|ue8m0|mxint8)_t',
  '(f16|f32|f64|bf16|fe5m2|fe4m3|fe2m1|fe3m2|fe2m3|fue8m0|fmxint8)vec[234]',
  'f(16|32|64)mat[234](x[234])?',
  '(iu?|u|f16)?sampler(1D|2D|3D|Cube|Buffer|2DRect|1DArray|2DArray|CubeArray|2DMS|2DMSArray)',
  '(f16)?sampler(1D|2D|Cube|2DRect|1DArray|2DArray|CubeArray)Shadow',
  '(i|u|i64|u64|f16)?image(1D|2D|3D|Cube|Buffer|2DRect|1DArray|2DArray|CubeArray|2DMS|2DMSArray)',
].join('|'));

const commaSep1 = rule => seq(rule, repeat(seq(',', rule)));
const commaSep = rule => optional(commaSep1(rule));

/** The parentheses of a statement that is being typed. */
const incompleteCondition = condition => optional(seq('(', optional(field('condition', condition)), optional(')')));

/** `# name`, with blanks and tabs allowed between, as one anonymous token `#name`. */
const directive = name => alias(token(new RegExp('#[ \\t]*' + name)), '#' + name);

module.exports = grammar({
  name: 'glsl_coopmat',

  word: $ => $.identifier,

  externals: $ => [$._line_end, $._error_sentinel],

  extras: $ => [
    /\s/,
    /\\\r?\n/,
    $.comment,
    $.preproc_include,
    $.preproc_define,
    $.preproc_undef,
    $.preproc_conditional,
    $.preproc_extension,
    $.preproc_version,
    $.preproc_directive,
  ],

  // Each of these would be a step of the parser at every name and every value.
  inline: $ => [
    $._item, $._identifier, $._type_name, $._unary_level, $._postfix, $._postfix_value, $._initializer,
    $._condition, $._attributes, $._after_cast, $._typed, $._full_expression, $._statement, $._qualifier, $._type,
  ],

  conflicts: $ => [
    // `a < b` or `MATRIX<b>`: both are tried, see README.md.
    [$._expression, $.generic_type],
    [$._expression, $._macro_name],
    // `(name) x` or `(name)(x)`.
    [$._expression, $.cast_expression],
    [$.generic_type, $.cast_expression],
    [$._macro_name, $.cast_expression],
    // `VEC(4) name` or `STATEMENT(4)` without a semicolon, then `name`.
    [$.macro_type, $.macro_statement],
  ],

  rules: {
    translation_unit: $ => repeat($._item),

    // A function inside a function is not valid: accepting it keeps a missing brace from tearing the rest of the file apart.
    _item: $ => choice($._statement, $.function_definition, $.function_declaration),

    // Preprocessor directives ---------------------------------------------------------------------------------------------

    preproc_include: $ => seq(
      directive('include'),
      optional(field('path', choice($.string_literal, $.system_path, $.identifier))),
      repeat($.preproc_text),
      $._line_end,
    ),
    system_path: _ => token(/<[^>\r\n]*>/),

    preproc_define: $ => seq(
      directive('define'),
      field('name', $.identifier),
      optional(field('parameters', $.preproc_parameters)),
      repeat(field('value', $.preproc_text)),
      $._line_end,
    ),
    preproc_parameters: $ => seq(token.immediate('('), commaSep(choice($.identifier, '...')), ')'),

    preproc_undef: $ => seq(
      directive('undef'), optional(field('name', $.identifier)), repeat($.preproc_text), $._line_end,
    ),

    preproc_conditional: $ => seq(
      field('directive', alias(token(/#[ \t]*(if|ifdef|ifndef|elif|else|endif)/), $.preproc_name)),
      repeat(field('condition', $.preproc_text)),
      $._line_end,
    ),

    preproc_extension: $ => seq(
      directive('extension'),
      optional(field('name', $.identifier)),
      optional(seq(':', optional(field('behavior', $.identifier)))),
      repeat($.preproc_text),
      $._line_end,
    ),

    preproc_version: $ => seq(
      directive('version'),
      optional(field('version', $.int_literal)),
      optional(field('profile', $.identifier)),
      repeat($.preproc_text),
      $._line_end,
    ),

    // #pragma, #line, #error and whatever else starts with a hash, also the hash alone.
    preproc_directive: $ => seq(
      field('directive', alias(token(prec(-1, /#[ \t]*[A-Za-z_]*/)), $.preproc_name)),
      repeat(field('value', $.preproc_text)),
      $._line_end,
    ),

    // The rest of a directive's line, up to a comment.
    preproc_text: _ => token(prec(-1,
      /([^\s\/\\]|\/[^\/\*\s]|\\[^\r\n])([^\r\n\/\\]|\/[^\/\*\r\n]|\\\r?\n|\\[^\r\n])*/)),

    // Functions ----------------------------------------------------------------------------------------------------------

    function_definition: $ => seq($._function_header, field('body', $.compound_statement)),
    // Less likely than a macro call without a semicolon before a call: `STORE(4)` and `f(x);`.
    function_declaration: $ => prec.dynamic(-1, seq($._function_header, ';')),

    _function_header: $ => seq(
      optional($.attributes),
      repeat($._qualifier),
      $._typed,
      field('name', $._identifier),
      field('parameters', $.parameter_list),
      optional($.attributes),
    ),

    parameter_list: $ => seq('(', commaSep(choice($.parameter, $.variadic_parameter)), ')'),

    parameter: $ => choice(
      seq(repeat($._qualifier), field('type', $._type)),
      seq(
        repeat($._qualifier),
        $._typed,
        field('name', $._identifier),
        repeat(field('array', $.array_specifier)),
        optional(seq('=', field('value', $._initializer))),
      ),
    ),
    variadic_parameter: _ => '...',

    // Declarations -------------------------------------------------------------------------------------------------------

    declaration: $ => prec.dynamic(2, choice(
      seq(repeat($._qualifier), $._typed, commaSep1(field('declarator', $.declarator)), ';'),
      seq(repeat($._qualifier), field('type', $.struct_specifier), optional($._more_declarators), ';'),
      // Before `;` and `,` a type is a declaration of nothing rather than a value.
      prec(1, seq(repeat($._qualifier), field('type', choice($.primitive_type, $.generic_type)), optional($._more_declarators), ';')),
      seq(repeat1($._qualifier), field('type', alias($._array_type, $.subscript_expression)), optional($._more_declarators), ';'),
    )),

    // `float, a;`: the first of the list is the type alone.
    _more_declarators: $ => repeat1(seq(',', field('declarator', $.declarator))),

    declarator: $ => seq(
      field('name', $._identifier),
      repeat(field('array', $.array_specifier)),
      optional(seq('=', field('value', $._initializer))),
    ),

    array_specifier: $ => seq('[', optional(field('size', $._full_expression)), ']'),

    _initializer: $ => choice($._expression, $.initializer_list),
    initializer_list: $ => seq('{', optional(seq(commaSep1($._initializer), optional(','))), '}'),

    interface_block: $ => seq(
      repeat1($._qualifier),
      field('name', $._identifier),
      field('body', $.member_list),
      optional(field('instance', $.declarator)),
      ';',
    ),

    // `layout(local_size_x = 32) in;`, `invariant gl_Position;`, `layout(buffer_reference) buffer Node;`
    qualifier_declaration: $ => seq(repeat1($._qualifier), commaSep(field('name', $._identifier)), ';'),

    precision_declaration: $ => seq('precision', $.qualifier, field('type', $._type), ';'),

    struct_specifier: $ => seq(
      'struct',
      optional(field('name', choice($._identifier, $.primitive_type))),
      field('body', $.member_list),
    ),

    // As in a block, a function only keeps a missing brace from tearing the rest apart.
    member_list: $ => seq('{', repeat(choice($.member_declaration, $.member_block, $.function_definition)), '}'),
    member_declaration: $ => seq(
      repeat($._qualifier), $._typed, commaSep1(field('declarator', $.declarator)), ';',
    ),
    // GL_EXT_structured_descriptor_heap: an unnamed structure inside a heap block.
    member_block: $ => seq(
      repeat1($._qualifier), field('body', $.member_list), commaSep1(field('declarator', $.declarator)), ';',
    ),

    // Qualifiers ---------------------------------------------------------------------------------------------------------

    _qualifier: $ => choice(
      $.qualifier,
      alias('nonuniformEXT', $.qualifier),
      $.layout_qualifier,
      $.subroutine_qualifier,
      $.spirv_qualifier,
      // A macro, or a qualifier of an extension that this grammar does not know.
      prec(-1, alias($.identifier, $.unknown_qualifier)),
    ),

    qualifier: _ => token(choice(...QUALIFIERS)),

    layout_qualifier: $ => seq('layout', '(', commaSep($.layout_entry), ')'),
    layout_entry: $ => seq(
      field('name', $._identifier),
      optional(choice(seq('=', field('value', $._expression)), field('arguments', $.argument_list))),
    ),

    subroutine_qualifier: $ => seq('subroutine', optional(seq('(', commaSep(field('name', $._identifier)), ')'))),

    // GL_EXT_spirv_intrinsics
    spirv_qualifier: $ => seq(
      field('name', choice(
        'spirv_instruction', 'spirv_execution_mode', 'spirv_execution_mode_id', 'spirv_decorate', 'spirv_decorate_id',
        'spirv_decorate_string', 'spirv_storage_class',
      )),
      '(', commaSep($.spirv_argument), ')',
    ),
    spirv_type: $ => seq('spirv_type', '(', commaSep($.spirv_argument), ')'),
    spirv_argument: $ => choice(
      prec(1, seq(field('name', $._identifier), '=', field('value', choice($._expression, $.spirv_list)))),
      field('value', $._expression),
    ),
    spirv_list: $ => seq('[', commaSep($._expression), ']'),

    // Types --------------------------------------------------------------------------------------------------------------

    // `Name`, `float`, `coopmat<...>` and arrays of these are read the same way where a type is meant and where a value is, and what
    // follows tells them apart: `a[3] b` or `a[3] = b`, `float[3] b` or `float[3](...)`.
    // A type in a declaration. `QUALIFIER Type name` is three names; before anything but a name, `_qualifier` takes the first.
    _typed: $ => choice(
      field('type', $._type),
      seq(alias($.identifier, $.unknown_qualifier), field('type', $._identifier)),
    ),

    _type: $ => choice($._type_name, $.struct_specifier, $.spirv_type, $.macro_type),

    _type_name: $ => choice(
      $._identifier,
      $.primitive_type,
      $.generic_type,
      alias($._array_type, $.subscript_expression),
    ),

    _array_type: $ => prec(PREC.postfix, seq(
      field('base', $._type_name), '[', optional(field('index', $._full_expression)), ']',
    )),

    primitive_type: _ => token(PRIMITIVE_TYPES),

    // GL_KHR_cooperative_matrix: an argument is a type or a unary expression, so that `>` ends the list.
    generic_type: $ => choice(
      prec.dynamic(10, seq(
        field('name', alias($._generic_name, $.identifier)), '<', commaSep(field('argument', choice($._unary_level, $.spirv_type))), '>',
      )),
      prec.dynamic(-1, seq(
        field('name', $._macro_name), '<', commaSep(field('argument', choice($._unary_level, $.spirv_type))), '>',
      )),
    ),
    _macro_name: $ => $.identifier,
    _generic_name: _ => token(choice(...GENERIC_TYPES)),

    // `VEC(4) name;` in surface text.
    macro_type: $ => prec(-1, alias($._identifier_call, $.call_expression)),

    // Statements ---------------------------------------------------------------------------------------------------------

    _statement: $ => choice(
      $.declaration,
      $.interface_block,
      $.qualifier_declaration,
      $.precision_declaration,
      $.compound_statement,
      $.expression_statement,
      $.empty_statement,
      $.macro_statement,
      $.if_statement,
      $.switch_statement,
      $.case_label,
      $.for_statement,
      $.while_statement,
      $.do_statement,
      $.return_statement,
      $.break_statement,
      $.continue_statement,
      $.discard_statement,
      $.terminate_statement,
      $.incomplete_statement,
    ),

    compound_statement: $ => seq('{', repeat($._item), '}'),
    expression_statement: $ => seq($._full_expression, ';'),
    empty_statement: _ => ';',

    // A macro call that is a whole statement, or a call that lacks its semicolon.
    macro_statement: $ => prec(-1, alias($._identifier_call, $.call_expression)),

    attributes: $ => seq('[', '[', commaSep1($.attribute), ']', ']'),
    attribute: $ => seq(field('name', $._identifier), optional(seq('(', field('value', $._full_expression), ')'))),

    // The word is a macro, in surface text: `UNROLL for (...)`.
    _attributes: $ => choice($.attributes, alias($.identifier, $.macro_attribute)),

    if_statement: $ => prec.right(seq(
      optional($._attributes),
      'if', '(', field('condition', $._full_expression), ')',
      field('consequence', $._statement),
      optional(seq('else', field('alternative', $._statement))),
    )),

    switch_statement: $ => seq(
      optional($._attributes),
      'switch', '(', field('condition', $._full_expression), ')',
      field('body', $.compound_statement),
    ),
    case_label: $ => seq(choice(seq('case', field('value', $._full_expression)), 'default'), ':'),

    for_statement: $ => seq(
      optional($._attributes),
      'for', '(',
      field('init', choice($.declaration, $.expression_statement, $.empty_statement)),
      optional(field('condition', $._condition)), ';',
      optional(field('update', $._full_expression)),
      ')',
      field('body', $._statement),
    ),
    while_statement: $ => seq(
      optional($._attributes),
      'while', '(', field('condition', $._condition), ')',
      field('body', $._statement),
    ),
    do_statement: $ => seq(
      optional($._attributes),
      'do', field('body', $._statement), 'while', '(', field('condition', $._full_expression), ')', ';',
    ),

    _condition: $ => choice($._full_expression, $.condition_declaration),
    condition_declaration: $ => prec(1, seq(
      repeat($.qualifier),
      field('type', $._type),
      field('name', $._identifier),
      '=', field('value', $._initializer),
    )),

    return_statement: $ => seq('return', optional(field('value', $._full_expression)), ';'),
    break_statement: _ => seq('break', ';'),
    continue_statement: _ => seq('continue', ';'),
    discard_statement: _ => seq('discard', ';'),
    terminate_statement: _ => seq(choice('demote', 'terminateInvocation', 'terminateRayEXT', 'ignoreIntersectionEXT'), ';'),

    // A statement that is being typed. Without it the rest of the file would be taken for the inside of its parentheses.
    incomplete_statement: $ => prec.right(-2, seq(
      optional($._attributes),
      choice(
        seq('if', incompleteCondition($._full_expression)),
        seq(
          'if', '(', field('condition', $._full_expression), ')', field('consequence', $._statement), 'else',
        ),
        seq('switch', incompleteCondition($._full_expression)),
        seq('while', incompleteCondition($._condition)),
        seq('do', optional(seq(field('body', $._statement), optional(seq('while', incompleteCondition($._full_expression)))))),
        seq('for', optional(seq(
          '(',
          optional(seq(
            field('init', choice($.declaration, $.expression_statement, $.empty_statement)),
            optional(field('condition', $._condition)),
            optional(seq(';', optional(field('update', $._full_expression)))),
          )),
          optional(')'),
        ))),
        seq('case', optional(field('value', $._full_expression))),
      ),
    )),

    // Expressions --------------------------------------------------------------------------------------------------------

    _full_expression: $ => choice($._expression, $.comma_expression),
    comma_expression: $ => prec.left(PREC.comma, seq(
      field('left', $._full_expression), ',', field('right', $._expression),
    )),

    _expression: $ => choice(
      $._unary_level,
      $.binary_expression,
      $.conditional_expression,
      $.assignment_expression,
    ),

    assignment_expression: $ => prec.right(PREC.assignment, seq(
      field('left', $._expression),
      field('operator', choice('=', '*=', '/=', '%=', '+=', '-=', '<<=', '>>=', '&=', '^=', '|=')),
      field('right', $._expression),
    )),

    conditional_expression: $ => prec.right(PREC.conditional, seq(
      field('condition', $._expression),
      '?', field('consequence', $._full_expression),
      ':', field('alternative', $._expression),
    )),

    binary_expression: $ => choice(...[
      [PREC.logicalOr, '||'],
      [PREC.logicalXor, '^^'],
      [PREC.logicalAnd, '&&'],
      [PREC.or, '|'],
      [PREC.xor, '^'],
      [PREC.and, '&'],
      [PREC.equality, '=='],
      [PREC.equality, '!='],
      [PREC.relational, '<'],
      [PREC.relational, '>'],
      [PREC.relational, '<='],
      [PREC.relational, '>='],
      [PREC.shift, '<<'],
      [PREC.shift, '>>'],
      [PREC.additive, '+'],
      [PREC.additive, '-'],
      [PREC.multiplicative, '*'],
      [PREC.multiplicative, '/'],
      [PREC.multiplicative, '%'],
    ].map(([precedence, operator]) => prec.left(precedence, seq(
      field('left', $._expression), field('operator', operator), field('right', $._expression),
    )))),

    _unary_level: $ => choice(
      $._postfix,
      $.unary_expression,
      $.cast_expression,
      $.int_literal,
      $.float_literal,
      $.bool_literal,
      $.string_literal,
    ),

    unary_expression: $ => prec(PREC.unary, seq(
      field('operator', choice('+', '-', '!', '~', '++', '--')),
      field('operand', $._unary_level),
    )),

    // GL_NV_explicit_typecast. A parenthesised name before `(`, `+` or `-` is a value.
    cast_expression: $ => choice(
      prec(PREC.unary, seq('(', field('type', $.primitive_type), ')', field('operand', $._unary_level))),
      prec.dynamic(-5, seq('(', field('type', $.identifier), ')', field('operand', $._after_cast))),
    ),

    // No sign: a sum of parenthesised names must not be tried as casts of casts.
    _after_cast: $ => choice(
      $._postfix,
      alias($._negation, $.unary_expression),
      $.cast_expression,
      $.int_literal,
      $.float_literal,
      $.bool_literal,
    ),
    _negation: $ => prec(PREC.unary, seq(field('operator', choice('!', '~')), field('operand', $._unary_level))),

    _postfix: $ => choice($._type_name, $._postfix_value),

    _postfix_value: $ => choice(
      $.parenthesized_expression,
      alias($._identifier_call, $.call_expression),
      $.call_expression,
      $.subscript_expression,
      $.field_expression,
      $.postfix_expression,
    ),

    parenthesized_expression: $ => seq('(', $._full_expression, ')'),

    subscript_expression: $ => prec(PREC.postfix, seq(
      field('base', $._postfix_value), '[', field('index', $._full_expression), ']',
    )),

    // A literal has components, too: `1.0.xxx`, `5 .xx`.
    field_expression: $ => prec(PREC.postfix, seq(
      field('base', choice($._postfix, $.int_literal, $.float_literal, $.bool_literal)), '.', field('member', alias($.identifier, $.field_identifier)),
    )),

    postfix_expression: $ => prec(PREC.postfix, seq(field('operand', $._postfix), field('operator', choice('++', '--')))),

    call_expression: $ => prec(PREC.postfix, seq(
      field('function', choice(
        $.primitive_type,
        $.generic_type,
        alias($._array_type, $.subscript_expression),
        $._postfix_value,
      )),
      field('arguments', $.argument_list),
    )),

    _identifier_call: $ => prec(PREC.postfix, seq(
      field('function', choice($._identifier, alias('nonuniformEXT', $.identifier))),
      field('arguments', $.argument_list),
    )),

    argument_list: $ => seq(
      '(',
      // `f(a, b MORE)` in surface text: a macro that brings its own comma.
      commaSep(seq(choice($._expression, $.initializer_list), optional(alias($.identifier, $.macro_argument)))),
      ')',
    ),

    // Tokens -------------------------------------------------------------------------------------------------------------

    _identifier: $ => choice($.identifier, alias($._generic_name, $.identifier)),
    identifier: _ => /[A-Za-z_][A-Za-z0-9_]*/,

    // Every suffix is taken, known or not: extensions add suffixes, and a wrong one is a mistake in one literal rather than in the syntax.
    int_literal: _ => /[0-9][A-Za-z0-9_]*/,
    float_literal: _ => token(prec(1, seq(
      choice(/[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?/, /\.[0-9]+([eE][+-]?[0-9]+)?/, /[0-9]+[eE][+-]?[0-9]+/),
      optional(/[A-Za-z_][A-Za-z0-9_]*/),
    ))),
    // The precedence keeps these words apart from the qualifiers, which stand in the same places.
    bool_literal: _ => token(prec(1, choice('true', 'false'))),
    string_literal: _ => token(/"([^"\\\r\n]|\\[^\r\n])*"/),

    comment: _ => token(choice(
      /\/\/([^\r\n\\]|\\\r?\n|\\[^\r\n])*/,
      /\/\*[^*]*\*+([^\/*][^*]*\*+)*\//,
    )),
  },
});
