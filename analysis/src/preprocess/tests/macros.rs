//! Definitions, calls, rescanning, `#` and `##`.

use super::{check_diagnostics, expand, run};

#[test]
fn a_name_is_replaced_by_its_body() {
    assert_eq!(expand("#define T float\nT x; Tx T;"), "float x; Tx float;");
    assert_eq!(expand("#define EMPTY\na EMPTY b"), "a  b");
    assert_eq!(expand("#define A B\n#define B C\nA"), "C");
    assert_eq!(expand("#define A 1\n#undef A\nA"), "A");
}

#[test]
fn text_without_macros_is_copied_as_it_is() {
    assert_eq!(expand("void main( ) {\n    int  x;\n\n}"), "void main( ) {\n    int  x;\n\n}");
}

#[test]
fn parameters_are_replaced_by_arguments() {
    assert_eq!(expand("#define MUL(a, b) ((a) * (b))\nMUL(x + 1, f(y, z))"), "((x + 1) * (f(y, z)))");
    assert_eq!(expand("#define F() x\nF() F( )"), "x x");
    assert_eq!(expand("#define ID(a) [a]\nID()"), "[]");
    assert_eq!(expand("#define F(a, b) a|b\nF(,) F(x,)"), "| x|");
}

#[test]
fn a_function_like_macro_without_parentheses_is_an_ordinary_name() {
    assert_eq!(expand("#define F(x) x\nint F; F (1); F\n(2)"), "int F; 1; 2");
    assert_eq!(expand("#define F (x)\nF"), "(x)");
}

#[test]
fn a_call_may_span_lines() {
    assert_eq!(expand("#define ADD(a, b) a + b\nADD(1, // one\n    2)\n;"), "1 + 2\n;");
}

#[test]
fn a_macro_is_not_replaced_inside_its_own_replacement() {
    assert_eq!(expand("#define x x + y\n#define y x - y\nx y"), "x + x - y x + y - y");
    assert_eq!(expand("#define f(a) a * f\nf(1)(2)"), "1 * f(2)");
    assert_eq!(expand("#define f(a) f(a + 1)\nf(f(0))"), "f(f(0 + 1) + 1)");
}

#[test]
fn a_replacement_may_end_in_a_macro_that_takes_its_arguments_from_the_text() {
    assert_eq!(expand("#define G(x) <x>\n#define F G\nF(3)"), "<3>");
    assert_eq!(expand("#define G(x) <x>\n#define F(y) y G\nF(1)(2)"), "1 <2>");
}

#[test]
fn the_examples_of_the_c_standard_hold() {
    // C11, 6.10.3.5, examples 3 and 4, without what GLSL lacks.
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
                #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n\
                f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n\
                p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };";
    assert_eq!(
        expand(text),
        "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);\n\
         f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);\n\
         int i[] = { 1, 23, 4, 5,  };"
    );
}

#[test]
fn pasting_makes_one_token() {
    assert_eq!(expand("#define J(a, b) a##b\nJ(x, y) J(1, u) J(+, =) J(u, int)8_t"), "xy 1u += uint 8_t");
    assert_eq!(expand("#define T(n) vec ## n\n#define N 4\nT(N) T(4)"), "vecN vec4");
    assert_eq!(expand("#define J(a, b) a##b\n#define AB 7\nJ(A, B)"), "7");
    assert_eq!(expand("#define J(a, b, c) a##b##c\nJ(x, , z) J(, , )"), "xz");
    assert_eq!(expand("#define SUM(a) a##_sum + sum_##a\nSUM(row)"), "row_sum + sum_row");
}

#[test]
fn stringification_is_accepted() {
    assert_eq!(expand("#define S(x) #x\nS(a  + \"b\")"), "\"a + \\\"b\\\"\"");
}

#[test]
fn tokens_stay_apart() {
    assert_eq!(expand("#define M -1\n-M"), "- -1");
    assert_eq!(expand("#define F(x) x x\nF(1)F(2)"), "1 1 2 2");
    assert_eq!(expand("#define D 1\nD.x"), "1 .x");
    assert_eq!(expand("#define E\n+E+ a/**/b"), "+ + a b");
    assert_eq!(expand("#define S a.b\nS.c[S]"), "a.b.c[a.b]");
}

#[test]
fn comments_and_line_continuations_are_taken_out() {
    assert_eq!(expand("int /* a\n b */ x; // c\n  int y;"), "int x;\n  int y;");
    assert_eq!(expand("#define A 1 + \\\n  2 // three\nA"), "1 + 2");
    assert_eq!(expand("in\\\nt x\\\r\ny; // c \\\n still\nz"), "int xy;\nz");
    assert_eq!(expand("#def\\\nine A 1\nA"), "1");
    assert_eq!(expand("/* a */ #define A /* b\n */ 2\nA"), "2");
}

#[test]
fn all_line_ends_count() {
    assert_eq!(expand("#define A 1\r\nA\r\n#define B 2\rB"), "1\n2");
}

#[test]
fn a_byte_order_mark_is_ignored() {
    assert_eq!(expand("\u{feff}#version 450\nint x;"), "int x;");
}

#[test]
fn the_language_defines_macros() {
    assert_eq!(
        expand("#version 460 core\n__VERSION__ VULKAN GL_core_profile GL_KHR_cooperative_matrix GL_ES"),
        "460 100 1 1 GL_ES"
    );
    assert_eq!(expand("#version 310 es\n__VERSION__ GL_ES GL_core_profile"), "310 1 GL_core_profile");
    assert_eq!(
        expand("a\n#line 10\n__LINE__\n__LINE__ __FILE__\n#line 3 7\n__LINE__ __FILE__"),
        "a\n10\n11 0\n3 7"
    );
    assert_eq!(expand("#define L __LINE__\n#define F(x) L x\n\nF(\nL)"), "4 5");
}

#[test]
fn the_configuration_defines_macros() {
    assert_eq!(
        expand("//! define: A=1 + 2\n//! define: B\n//! define: MAX(a,b)=a > b\nA B MAX(1, 2)"),
        "1 + 2  1 > 2"
    );
}

#[test]
fn arguments_are_counted() {
    check_diagnostics(
        "#define F(a, b) a b
#define N() 1
#define W(x) F(x)
F(1)
// <- preprocessor-macro-arguments: `F` takes 2 arguments, but 1 is given
N(1)
// <- preprocessor-macro-arguments: `N` takes 0 arguments, but 1 is given
int x = W(3);
//      ^^^^ preprocessor-macro-arguments: `F` takes 2
",
    );
}

#[test]
fn a_call_without_end_stays_and_the_rest_goes_on() {
    let (_, done) = run("#define F(x) <x>\nint a = F(1;\nF(2);\n#define B 3\nB F(4)");
    assert_eq!(done.text, "int a = F(1;\n<2>;\n3 <4>\n");
    check_diagnostics(
        "#define F(x) <x>
int a = F(1;
//      ^ preprocessor-macro-unterminated: `F`
F(2); F(F(3;
#define B 3
",
    );
}

#[test]
fn the_same_definition_may_be_repeated() {
    expand("#define A(x) x + 1\n#define A(x)   x  +\t1\n#define B\n#define B");
    check_diagnostics(
        "#define A(x) x + 1
#define A(y) y + 1
//      ^ preprocessor-macro-redefined: the names of the parameters differs
#define B 1
#define B(x) 1
//      ^ preprocessor-macro-redefined: only one of them takes arguments
#define C a+b
#define C a + b
//      ^ preprocessor-macro-redefined: the replacement differs
#define VULKAN 1
//      ^^^^^^ preprocessor-macro-redefined: predefined
",
    );
}

#[test]
fn reserved_names_are_reported() {
    check_diagnostics(
        "#define GL_X 1
//      ^^^^ preprocessor-reserved-name: begins with `GL_`
#define A__B 1
//      ^^^^ preprocessor-reserved-name: reserved
#define __LINE__ 2
//      ^^^^^^^^ preprocessor-reserved-name: predefined
#undef defined
//     ^^^^^^^ preprocessor-reserved-name: operator
#####
// <- preprocessor-unknown-directive
#extension GL_EXT_spirv_intrinsics : require
#define GL_Y 1
",
    );
}

#[test]
fn malformed_definitions_are_reported() {
    check_diagnostics(
        "#define
// <- preprocessor-macro-definition: expected the name
#define 1
//      ^ preprocessor-macro-definition: expected the name
#define A(x
//       ^ preprocessor-macro-definition: not closed
#define B(x y) x
//       ^ preprocessor-macro-definition: not closed
#define C(1) x
//        ^ preprocessor-macro-definition: must be names
#define D+1
//       ^ preprocessor-macro-definition: expected whitespace between `D` and its replacement
#define E(x) #y
//           ^ preprocessor-macro-definition: `#`
#define F ## a
//        ^^ preprocessor-macro-definition: both sides
",
    );
}
