; The text of a macro is GLSL, as far as it goes.
((preproc_define value: (preproc_text) @injection.content)
  (#set! injection.language "glsl"))
((preproc_conditional condition: (preproc_text) @injection.content)
  (#set! injection.language "glsl"))
