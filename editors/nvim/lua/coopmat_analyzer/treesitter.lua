-- The tree-sitter parser `glsl_coopmat`: compiled from the sources that lie beside this plugin, or installed by nvim-treesitter.

local M = {}

M.LANGUAGE = 'glsl_coopmat'

--- The folder of the grammar: `parser/` of the repository, of which this plugin is `editors/nvim`.
function M.grammar()
  local here = debug.getinfo(1, 'S').source:sub(2)
  local root = vim.fn.fnamemodify(vim.fn.resolve(here), ':p:h:h:h:h:h')
  local folder = root .. '/parser'
  return vim.fn.filereadable(folder .. '/src/parser.c') == 1 and folder or nil
end

--- The compiled parser that Neovim would load.
function M.installed() return vim.api.nvim_get_runtime_file('parser/' .. M.LANGUAGE .. '.so', false)[1] end

--- Where `build` puts it: a folder that is on `runtimepath`.
function M.target() return vim.fn.stdpath('data') .. '/site/parser/' .. M.LANGUAGE .. '.so' end

--- Compiles the parser. Answers with the path, or with nil and what is wrong.
function M.compile(target)
  local grammar = M.grammar()
  if not grammar then
    return nil, 'the grammar is not beside the plugin; let nvim-treesitter install it'
  end
  local compiler = vim.iter({ vim.env.CC or 'cc', 'gcc', 'clang' }):find(function(name)
    return vim.fn.executable(name) == 1
  end)
  if not compiler then
    return nil, 'there is no C compiler (cc, gcc or clang)'
  end
  vim.fn.mkdir(vim.fs.dirname(target), 'p')
  local sources = { grammar .. '/src/parser.c', grammar .. '/src/scanner.c' }
  local command = { compiler, '-shared', '-fPIC', '-O1', '-I', grammar .. '/src', '-o', target }
  local result = vim.system(vim.list_extend(command, sources), { text = true }):wait()
  if result.code ~= 0 then
    return nil, result.stderr
  end
  return target
end

--- `:CoopmatParser`.
function M.build()
  local path, problem = M.compile(M.target())
  if not path then
    return vim.notify('coopmat-analyzer: ' .. problem, vim.log.levels.ERROR)
  end
  vim.notify('coopmat-analyzer: compiled ' .. path)
end

--- For nvim-treesitter: tells it where the parser comes from, so that `:TSInstall glsl_coopmat` works.
function M.register()
  local function entry(parsers)
    parsers[M.LANGUAGE] = {
      install_info = {
        url = 'https://github.com/coopmat-analyzer/coopmat-analyzer',
        location = 'parser',
        queries = 'parser/queries',
        files = { 'src/parser.c', 'src/scanner.c' },
      },
      filetype = 'glsl',
      maintainers = { '@coopmat-analyzer' },
      tier = 3,
    }
  end
  local found, parsers = pcall(require, 'nvim-treesitter.parsers')
  if not found then
    return
  end
  -- The branch `master` asks a function, `main` has the table itself, which is read anew before each update.
  if type(parsers.get_parser_configs) == 'function' then
    return entry(parsers.get_parser_configs())
  end
  entry(parsers)
  vim.api.nvim_create_autocmd('User', {
    pattern = 'TSUpdate',
    callback = function() entry(require('nvim-treesitter.parsers')) end,
  })
end

return M
