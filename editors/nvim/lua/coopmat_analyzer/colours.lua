-- Highlight groups: the uses of matrices, what belongs together in source and module, the steps of a heat map.

local M = {}

M.STEPS = 8

local links = {
  CoopmatLinked = 'Visual',
  CoopmatStale = 'Comment',
  CoopmatInstruction = 'Special',
  ['@lsp.mod.matrixA.glsl'] = 'CoopmatMatrixA',
  ['@lsp.mod.matrixB.glsl'] = 'CoopmatMatrixB',
  ['@lsp.mod.matrixAccumulator.glsl'] = 'CoopmatMatrixAccumulator',
  ['@variable.matrix.a.glsl_coopmat'] = 'CoopmatMatrixA',
  ['@variable.matrix.b.glsl_coopmat'] = 'CoopmatMatrixB',
  ['@variable.matrix.accumulator.glsl_coopmat'] = 'CoopmatMatrixAccumulator',
}

-- From low to high; the same steps are told apart on any background.
local scale = { '#440154', '#46327e', '#365c8d', '#277f8e', '#1fa187', '#4ac16d', '#a0da39', '#fde725' }
local cterm = { 53, 54, 24, 30, 36, 71, 148, 226 }

local function apply()
  for group, target in pairs(links) do
    vim.api.nvim_set_hl(0, group, { link = target, default = true })
  end
  local dark = vim.o.background == 'dark'
  vim.api.nvim_set_hl(0, 'CoopmatMatrixA', { fg = dark and '#7fb4ff' or '#1d5fbf', ctermfg = 75, default = true })
  vim.api.nvim_set_hl(0, 'CoopmatMatrixB', { fg = dark and '#ffb86c' or '#a85b00', ctermfg = 215, default = true })
  vim.api.nvim_set_hl(
    0,
    'CoopmatMatrixAccumulator',
    { fg = dark and '#8fd98f' or '#2b7a2b', ctermfg = 114, default = true }
  )
  for step, colour in ipairs(scale) do
    local ink = step <= 4 and '#ffffff' or '#000000'
    local group = { bg = colour, fg = ink, ctermbg = cterm[step], ctermfg = step <= 4 and 15 or 0, default = true }
    vim.api.nvim_set_hl(0, 'CoopmatHeat' .. step, group)
  end
  vim.api.nvim_set_hl(0, 'CoopmatHeatNaN', { bg = '#c00000', fg = '#ffffff', ctermbg = 124, ctermfg = 15, default = true })
end

function M.define()
  apply()
  vim.api.nvim_create_autocmd('ColorScheme', { callback = apply })
end

return M
