-- The file names of shaders, of which Neovim's own list lacks some, and old versions most.

local M = {}

M.extensions = {
  'comp', 'vert', 'frag', 'geom', 'tesc', 'tese', 'mesh', 'task',
  'rgen', 'rint', 'rahit', 'rchit', 'rmiss', 'rcall', 'glsl', 'glslh', 'hglsl',
}

function M.add()
  if vim.fn.has('nvim-0.8') == 0 then
    -- `set`, for old versions take `.comp` for something else.
    local patterns = vim.tbl_map(function(extension) return '*.' .. extension end, M.extensions)
    vim.api.nvim_create_autocmd({ 'BufNewFile', 'BufRead' }, { pattern = patterns, command = 'set filetype=glsl' })
    return
  end
  local extensions = {}
  for _, extension in ipairs(M.extensions) do
    extensions[extension] = 'glsl'
  end
  extensions.spvasm = 'spirv'
  vim.filetype.add({ extension = extensions })
end

return M
