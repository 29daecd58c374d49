---@brief
---
--- https://github.com/coopmat-analyzer/coopmat-analyzer
---
--- A language server for GLSL compute shaders with cooperative matrices. Install the program `coopmat-analyzer` and put it on `PATH`.
---
--- Macros, include folders and the target of a project's shaders stand in `coopmat-analyzer.toml`; settings are laid over it:
---
--- ```lua
--- vim.lsp.config('coopmat_analyzer', {
---   settings = {
---     ['coopmat-analyzer'] = { device = 'nvidia-h200', googleInclude = true },
---   },
--- })
--- ```

---@type vim.lsp.Config
return {
  cmd = { 'coopmat-analyzer', 'lsp' },
  capabilities = { experimental = { ['coopmat-analyzer'] = { askBuildCommand = true } } },
  handlers = {
    ['window/showMessageRequest'] = function(...) return require('coopmat_analyzer.setup').message(...) end,
  },
  filetypes = { 'glsl' },
  root_markers = { 'coopmat-analyzer.toml', 'compile_commands.json', '.git' },
}
