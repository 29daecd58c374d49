-- `:checkhealth coopmat_analyzer`.

local M = {}

local function server()
  vim.health.start('The server')
  if vim.fn.has('nvim-0.11') == 0 then
    vim.health.warn('Neovim before 0.11: diagnostics and hovers alone; there are no commands')
  end
  local config = vim.lsp.config and vim.lsp.config.coopmat_analyzer or {}
  local program = type(config.cmd) == 'table' and config.cmd[1] or 'coopmat-analyzer'
  local path = vim.fn.exepath(program)
  if path == '' then
    return vim.health.error('`' .. program .. '` is not on PATH', {
      'Install it with `cargo install --path lsp`, or by mason, or set `cmd` in `vim.lsp.config("coopmat_analyzer", { cmd = ... })`.',
    })
  end
  local result = vim.system({ path, '--version' }, { text = true }):wait(5000)
  if result.code ~= 0 then
    return vim.health.error('`' .. path .. ' --version` fails: ' .. (result.stderr or ''))
  end
  vim.health.ok(vim.trim(result.stdout) .. ' (' .. path .. ')')
  local clients = vim.lsp.get_clients({ name = 'coopmat_analyzer' })
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_count(client.attached_buffers)
    vim.health.info(('it serves %d buffers under %s'):format(buffers, client.root_dir or 'no folder'))
  end
  if #clients == 0 then
    vim.health.info('it is not running: it starts with the first shader that is opened')
  end
end

local function parser()
  vim.health.start('The tree-sitter parser')
  local tree = require('coopmat_analyzer.treesitter')
  local path = tree.installed()
  if not path then
    return vim.health.warn('`' .. tree.LANGUAGE .. '` is not installed; colours come from the server alone', {
      'Run `:CoopmatParser`, which needs a C compiler, or `:TSInstall glsl_coopmat` with nvim-treesitter.',
    })
  end
  local added, problem = pcall(vim.treesitter.language.add, tree.LANGUAGE)
  if not added then
    return vim.health.error(path .. ' cannot be loaded: ' .. tostring(problem), { 'Run `:CoopmatParser` again.' })
  end
  vim.health.ok(path)
  for _, name in ipairs({ 'highlights', 'folds', 'locals', 'injections', 'textobjects', 'indents' }) do
    local read, query = pcall(vim.treesitter.query.get, tree.LANGUAGE, name)
    if not read or not query then
      vim.health.error(name .. '.scm cannot be used: ' .. tostring(query))
    end
  end
end

function M.check()
  server()
  parser()
end

return M
