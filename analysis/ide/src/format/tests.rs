//! Snapshots of formatted texts.

use expect_test::{Expect, expect};

use super::*;

fn formatted(text: &str, options: &FormatOptions) -> String {
    let surface = Surface::new(text.into(), None);
    let edits = format(&surface, options, None).expect("only blanks change");
    assert!(edits.windows(2).all(|pair| pair[0].range.end() <= pair[1].range.start()));
    apply(text, &edits)
}

fn check(text: &str, expected: Expect) {
    let once = formatted(text, &FormatOptions::default());
    expected.assert_eq(&once);
    assert_eq!(formatted(&once, &FormatOptions::default()), once, "formatting twice changes nothing more");
}

#[test]
fn a_kernel() {
    check(
        "#version 450
#extension  GL_KHR_cooperative_matrix:require
layout(local_size_x=32)  in;
layout (std430,binding = 0)readonly buffer Data{ float values [ ]; }data;
void main(){
coopmat < float16_t , gl_ScopeSubgroup,16,(BK/2) , gl_MatrixUseA >a;
  [[unroll]] for(int i=0;i<16;++ i){
if(i<4&&! done) continue;
        else
  a [i] = - b+ c*2 ;
   x = i > 3?1:2 ;   // why
  }
switch (x)
{
case 0 :
y++ ;
break;
default: return ;
}
}",
        expect![[r#"
            #version 450
            #extension  GL_KHR_cooperative_matrix:require
            layout(local_size_x = 32) in;
            layout (std430, binding = 0) readonly buffer Data { float values[]; } data;
            void main() {
                coopmat<float16_t, gl_ScopeSubgroup, 16, (BK/2), gl_MatrixUseA> a;
                [[unroll]] for (int i = 0; i < 16; ++i) {
                    if (i < 4 && !done) continue;
                    else
                        a[i] = -b + c*2;
                    x = i > 3 ? 1 : 2;   // why
                }
                switch (x)
                {
                case 0:
                    y++;
                    break;
                default: return;
                }
            }
        "#]],
    );
}

#[test]
fn bodies_without_braces_and_lines_that_go_on() {
    check(
        "void f() {
if (a)
for (int i = 0;
     i < 3; i++) {
x = 1;
}
else if (b)
y = 2;
else
z = 3;
float sum = a +
b *
  c;
g(a,
  b,
    c);
  call(first,
       second(third,
              fourth));
    do
    x++;
    while (x < 3);
}
",
        expect![[r#"
            void f() {
                if (a)
                    for (int i = 0;
                         i < 3; i++) {
                        x = 1;
                    }
                else if (b)
                    y = 2;
                else
                    z = 3;
                float sum = a +
                b *
                  c;
                g(a,
                  b,
                    c);
                call(first,
                     second(third,
                            fourth));
                do
                    x++;
                while (x < 3);
            }
        "#]],
    );
}

#[test]
fn what_was_aligned_stays_aligned() {
    check(
        "const uint a    = 1;  // one
const uint bcd  = 22; // two
uint   alone   =   3;
float x  = q[i    ],
y        = q[i + 1];
struct S {
  float16_t x;   // first
  float     yy;  // second
};
const int T[] = {
1,   2, 300,
   10, 20,  -3,
};
",
        expect![[r#"
            const uint a   = 1;  // one
            const uint bcd = 22; // two
            uint alone = 3;
            float x = q[i    ],
            y       = q[i + 1];
            struct S {
                float16_t x;   // first
                float     yy;  // second
            };
            const int T[] = {
                1,   2, 300,
                10, 20,  -3,
            };
        "#]],
    );
}

#[test]
fn what_follows_a_brace_on_its_line_does_not_keep_the_rest_from_its_place() {
    check(
        "void main(){int x;
x = 1;
  if (x > 0){x++;
    x--;
  // done
  } else { { x = 2;
x = 3; }
}
for (;;) { x++;
           if (x > 3)
           break;
           x--; }
}
struct S { float a;
           float b; };
buffer B { uint c;
uint d;
};
const int T[] = {1, 2,
                 3};
",
        expect![[r#"
            void main() {int x;
                x = 1;
                if (x > 0) {x++;
                    x--;
                    // done
                } else { { x = 2;
                    x = 3; }
                }
                for (;;) { x++;
                           if (x > 3)
                               break;
                           x--; }
            }
            struct S { float a;
                       float b; };
            buffer B { uint c;
                uint d;
            };
            const int T[] = {1, 2,
                             3};
        "#]],
    );
}

#[test]
fn branches_are_alternatives() {
    check(
        "#if A
void f(int a) {
#else
    void f() {
#endif
#ifdef B
if (x) {
#endif
y = 1;
  #ifdef B
}
  #endif
}
int after;
",
        expect![[r#"
            #if A
            void f(int a) {
            #else
            void f() {
            #endif
            #ifdef B
                if (x) {
            #endif
                    y = 1;
              #ifdef B
                }
              #endif
            }
            int after;
        "#]],
    );
}

#[test]
fn comments_and_macros_stay() {
    check(
        "#define TWICE(x)   ((x)+ \\
      (x))
//int old=1;
void f() {
// about y
/* over
     lines */ int y=1;
  STORE(y)
    STORE (y)
   /* c */x=y;/* d */
// before the end
}
",
        expect![[r#"
            #define TWICE(x)   ((x)+ \
                  (x))
            //int old=1;
            void f() {
            // about y
            /* over
                 lines */ int y = 1;
                      STORE(y)
                        STORE (y)
                       /* c */x = y;/* d */
            // before the end
                  }
        "#]],
    );
}

#[test]
fn labels_stand_as_the_first_one_does() {
    check(
        "void f() {
switch (x) {
  // first
  case 0: {
  y = 1;
  } break;
  case 1:
  case 2:
  y = 2;
}
}
",
        expect![[r#"
            void f() {
                switch (x) {
                    // first
                    case 0: {
                        y = 1;
                    } break;
                    case 1:
                    case 2:
                        y = 2;
                }
            }
        "#]],
    );
}

#[test]
fn damaged_lines_are_left_alone() {
    check(
        "void f() {
x=1;
  y = = 2   ;
   z=3;
}
",
        expect![[r#"
            void f() {
                x = 1;
              y = = 2   ;
                z = 3;
            }
        "#]],
    );
}

#[test]
fn tokens_that_would_merge_stay_apart() {
    check(
        "void f() { x = - -y; x = a + +b; x = a - --b; f = 1 .xx; }\n",
        expect![[r#"
        void f() { x = - -y; x = a + +b; x = a - --b; f = 1 .xx; }
    "#]],
    );
}

#[test]
fn options_are_followed() {
    let text = "void f() {\nif (a) {\nx = 1;  \n}\n}\n\n\n";
    let tabs = FormatOptions { insert_spaces: false, ..FormatOptions::default() };
    assert_eq!(formatted(text, &tabs), "void f() {\n\tif (a) {\n\t\tx = 1;\n\t}\n}\n");
    let two = FormatOptions {
        indent_size: 2,
        tab_size: 2,
        trim_trailing_whitespace: false,
        trim_final_newlines: false,
        ..FormatOptions::default()
    };
    assert_eq!(formatted(text, &two), "void f() {\n  if (a) {\n    x = 1;  \n  }\n}\n\n\n");
    assert_eq!(formatted("int a;", &FormatOptions::default()), "int a;\n");
    let bare = FormatOptions { final_newline: FinalNewline::Keep, ..FormatOptions::default() };
    assert_eq!(formatted("int a;", &bare), "int a;");
    let none = FormatOptions { final_newline: FinalNewline::Remove, ..FormatOptions::default() };
    assert_eq!(formatted("int  a;\n\n", &none), "int a;");
    let mixed = FormatOptions { tab_size: 8, insert_spaces: false, ..FormatOptions::default() };
    assert_eq!(
        formatted("void f() {\nif (a) {\nx;\n}\n}\n", &mixed),
        "void f() {\n    if (a) {\n\tx;\n    }\n}\n"
    );
    assert_eq!(formatted("int  a;\r\nint b ;\r\n", &FormatOptions::default()), "int a;\r\nint b;\r\n");
    assert_eq!(formatted("", &FormatOptions::default()), "");
}

#[test]
fn each_line_keeps_its_own_end() {
    for text in [
        "int  a;\r\nint b ;\n",
        "int  a;\nint b ;\r\n",
        "int  a;\r\nint b ;\r",
        "int a;\n/* \r\n */ int  b;\r\n",
    ] {
        let ends = |text: &str| text.replace(|char| !matches!(char, '\r' | '\n'), "");
        assert_eq!(ends(&formatted(text, &FormatOptions::default())), ends(text), "{text:?}");
    }
    assert_eq!(
        formatted("int a;\nint b;\r\nint c;", &FormatOptions::default()),
        "int a;\nint b;\r\nint c;\r\n"
    );
    // Of several at the end, the last line's own stays.
    assert_eq!(formatted("int a;\r\nint b;\n\r\n\r\n", &FormatOptions::default()), "int a;\r\nint b;\n");
}

#[test]
fn a_range_is_all_that_changes() {
    let text = "int  a;\nint  b ;\nint  c;\n";
    let surface = Surface::new(text.into(), None);
    let within = TextRange::empty(TextSize::new(10));
    let edits = format(&surface, &FormatOptions::default(), Some(within)).unwrap();
    assert_eq!(apply(text, &edits), "int  a;\nint  b;\nint  c;\n");
}

#[test]
fn typing_formats_what_was_ended() {
    let typed = |marked: &str, char: char| {
        let offset = marked.find('|').unwrap();
        let text = marked.replace('|', "");
        let surface = Surface::new(text.as_str().into(), None);
        let offset = TextSize::new(offset as u32);
        apply(&text, &on_type(&surface, &FormatOptions::default(), offset, char).unwrap())
    };
    assert_eq!(
        typed("int  a;\nvoid f() {\nx=1;\n  if (a) {\n y=2;\n   }|\n}\n", '}'),
        "int  a;\nvoid f() {\nx=1;\n    if (a) {\n        y = 2;\n    }\n}\n"
    );
    assert_eq!(
        typed("int  a;\nvoid f() {\n x=1+\n  2;|\nx  =  3;\n}\n", ';'),
        "int  a;\nvoid f() {\n    x = 1 +\n     2;\nx  =  3;\n}\n"
    );
    assert_eq!(
        typed("void f() {\n    if (a) {\n|\n    }\n}\n", '\n'),
        "void f() {\n    if (a) {\n        \n    }\n}\n"
    );
    assert_eq!(typed("void f() {\n|\n}\n", '\n'), "void f() {\n    \n}\n");
}

#[test]
fn what_is_below_by_accident_is_not_aligned() {
    check(
        "void f() {
int  x;
float sum = aa * b  +
            c  * dd +
            e  * f;
}
",
        expect![[r#"
            void f() {
                int x;
                float sum = aa * b  +
                            c  * dd +
                            e  * f;
            }
        "#]],
    );
}

/// Whatever the text, tokens stay, and a second time changes nothing.
#[test]
fn any_beginning_of_a_text_can_be_formatted() {
    let text =
        "#if A\nvoid f(int a {\n g(h(1, \"s\"), {2});\n#else }\n // é\n#endif\n x = ; /* a\n b */ y\n}\n";
    for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
        let once = formatted(&text[..end], &FormatOptions::default());
        assert_eq!(formatted(&once, &FormatOptions::default()), once, "{:?}", &text[..end]);
    }
}

/// Found by changing shaders at random.
#[test]
fn blanks_that_matter_stay() {
    for text in [
        // Without the blank, one line end.
        "b\r \nb\n",
        // In strings that do not end.
        "#\" ",
        "\" \n",
        // A comment at the end of the file.
        "// ",
        // What is below what follows a brace by accident, once it is indented.
        "    int c;\n    {   p;\n;\n;",
        // Below what follows a bracket in a line that stays.
        "void f() {\nx = = g( a,\n          b);\n}\n",
        // Tabs whose width depends on what is before them.
        "void f() {\n int\tx\t= 1;\n  float\ty\t= 2;\n}\n",
    ] {
        let once = formatted(text, &FormatOptions::default());
        assert_eq!(formatted(&once, &FormatOptions::default()), once, "{text:?}");
    }
}

#[test]
fn what_was_formatted_stays_as_it_is_where_gaps_only_looked_aligned() {
    let text = "void main() {\n    const   float   d  =   (max   -   min)   /   31;\n    const   float   id   =   (d   !=   0)   ?   1.0/d   :   0.0;\n}\n";
    let format = |text: &str| {
        let surface = coopmat_analysis::surface::Surface::new(text.into(), None);
        super::apply(
            text,
            &super::format(&surface, &super::FormatOptions::default(), None).expect("the same tokens"),
        )
    };
    let once = format(text);
    assert_eq!(format(&once), once);
}
