-- `:checkhealth coopmat_analyzer`: what is missing, with advice that works as things are; in old versions of Neovim, too.

local M = {}

--- The functions had other names before 0.10.
local health = setmetatable({}, {
  __index = function(_, name)
    local all = vim.health or require('health')
    return all[name] or all['report_' .. name]
  end,
})

--- How the program is started. Before 0.11 there is no `vim.lsp.config`.
local function program_of(new)
  local config = new and vim.lsp.config.coopmat_analyzer or vim.g.coopmat_analyzer_config or {}
  return type(config.cmd) == 'table' and config.cmd[1] or 'coopmat-analyzer'
end

local function server(new)
  health.start('The server')
  if not new then
    health.warn('Neovim before 0.11 has only diagnostics and hovers, and no commands')
  end
  local program = program_of(new)
  local path = vim.fn.exepath(program)
  if path == '' then
    local setting = new and '`vim.lsp.config("coopmat_analyzer", { cmd = { ... } })`' or '`cmd` of `g:coopmat_analyzer_config`'
    return health.error('`' .. program .. '` is not on PATH', {
      'Install it with `cargo install --path lsp` in a clone of the repository, or name it in ' .. setting .. '.',
    })
  end
  local said = vim.fn.system({ path, '--version' })
  if vim.v.shell_error ~= 0 then
    return health.error('`' .. path .. ' --version` fails: ' .. said)
  end
  health.ok(vim.trim(said) .. ' (' .. path .. ')')
  if not new then
    return
  end
  local clients = vim.lsp.get_clients({ name = 'coopmat_analyzer' })
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_count(client.attached_buffers)
    health.info(('serving %d buffers in %s'):format(buffers, client.root_dir or 'no folder'))
  end
  if #clients == 0 then
    health.info('not running; it starts when a shader is opened')
  end
end

--- How the parser can be had here.
local function advice(tree)
  local ways = {}
  local known, parsers = pcall(require, 'nvim-treesitter.parsers')
  if known and tree.repository() and type(parsers[tree.LANGUAGE]) == 'table' then
    table.insert(ways, 'Run `:TSInstall glsl_coopmat`.')
  end
  if not tree.compiler() then
    table.insert(ways, 'Install a C compiler (cc, gcc or clang) for `:CoopmatParser`.')
  elseif tree.grammar() then
    table.insert(ways, 'Run `:CoopmatParser`.')
  else
    table.insert(ways, 'Run `:CoopmatParser FOLDER` with the folder `parser` of a clone of the repository.')
  end
  return ways
end

local function parser()
  health.start('The tree-sitter parser')
  local tree = require('coopmat_analyzer.treesitter')
  local path = tree.installed()
  if not path then
    return health.warn('`' .. tree.LANGUAGE .. '` is not installed; only the server provides colours', advice(tree))
  end
  -- It answers with `nil` for a file that cannot be loaded, which older versions threw.
  local called, added, problem = pcall(vim.treesitter.language.add, tree.LANGUAGE)
  if not called or not added then
    return health.error(path .. ' cannot be loaded: ' .. tostring(problem or added), advice(tree))
  end
  health.ok(path)
  for _, name in ipairs({ 'highlights', 'folds', 'locals', 'injections', 'textobjects', 'indents' }) do
    local read, query = pcall(vim.treesitter.query.get, tree.LANGUAGE, name)
    if not read or not query then
      health.error(name .. '.scm is invalid: ' .. tostring(query))
    end
  end
end

function M.check()
  local new = vim.fn.has('nvim-0.11') == 1
  server(new)
  if new then
    parser()
  end
end

return M
