; The text of a macro is GLSL, as far as it goes.
((preproc_define value: (preproc_text) @injection.content)
  (#set! injection.language "glsl_coopmat")
  (#set! injection.include-children))

((preproc_conditional condition: (preproc_text) @injection.content)
  (#set! injection.language "glsl_coopmat"))

((comment) @injection.content
  (#set! injection.language "comment"))
