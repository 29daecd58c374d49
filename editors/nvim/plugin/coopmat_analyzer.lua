-- Loaded at start: file types, the server, commands. Everything else is loaded when it is first used.

if vim.g.loaded_coopmat_analyzer then
  return
end
vim.g.loaded_coopmat_analyzer = true

require('coopmat_analyzer.filetypes').add()

-- `let g:coopmat_analyzer_enable = v:false`: the user starts the server, by `vim.lsp.enable('coopmat_analyzer')`.
local starts = vim.g.coopmat_analyzer_enable ~= false

if vim.fn.has('nvim-0.11') == 0 then
  if starts then
    require('coopmat_analyzer.fallback').start()
  end
  return
end

require('coopmat_analyzer.commands').create()
require('coopmat_analyzer.documents').read()
require('coopmat_analyzer.documents').modules()
require('coopmat_analyzer.written').follow()
require('coopmat_analyzer.colours').define()
vim.treesitter.language.register('glsl_coopmat', 'glsl')
if starts then
  vim.lsp.enable('coopmat_analyzer')
end
