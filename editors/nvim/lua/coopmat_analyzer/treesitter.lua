-- The tree-sitter parser `glsl_coopmat`: compiled from the sources that lie beside this plugin, or in a folder that the user names, or installed by nvim-treesitter.

local M = {}

M.LANGUAGE = 'glsl_coopmat'

local function is_grammar(folder) return vim.fn.filereadable(folder .. '/src/parser.c') == 1 end

--- The repository, of which this plugin is `editors/nvim`; `nil` where the plugin was copied out of it.
function M.repository()
  local here = debug.getinfo(1, 'S').source:sub(2)
  local root = vim.fn.fnamemodify(vim.fn.resolve(here), ':p:h:h:h:h:h')
  return is_grammar(root .. '/parser') and root or nil
end

--- The grammar's folder: `parser` of the repository. `named` is that folder, or the repository's.
function M.grammar(named)
  local root = M.repository()
  if not named then
    return root and root .. '/parser'
  end
  local folder = vim.fn.fnamemodify(vim.fn.expand(named), ':p'):gsub('/$', '')
  return vim.iter({ folder, folder .. '/parser' }):find(is_grammar)
end

--- The C compiler that `compile` would start.
function M.compiler()
  return vim.iter({ vim.env.CC or 'cc', 'gcc', 'clang' }):find(function(name) return vim.fn.executable(name) == 1 end)
end

--- The compiled parser that Neovim would load.
function M.installed() return vim.api.nvim_get_runtime_file('parser/' .. M.LANGUAGE .. '.so', false)[1] end

--- Where `build` puts it: a folder that is on `runtimepath`.
function M.target() return vim.fn.stdpath('data') .. '/site/parser/' .. M.LANGUAGE .. '.so' end

--- Compiles the parser. Answers with the path, or with nil and what is wrong.
function M.compile(target, named)
  local grammar = M.grammar(named)
  if not grammar then
    local where = named and ('there is no grammar in ' .. named) or 'the grammar is not beside this copy of the plugin'
    return nil, where .. ': name the folder `parser` of the repository, `:CoopmatParser FOLDER`'
  end
  local compiler = M.compiler()
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
function M.build(named)
  local path, problem = M.compile(M.target(), named)
  if not path then
    return vim.notify('coopmat-analyzer: ' .. problem, vim.log.levels.ERROR)
  end
  vim.notify('coopmat-analyzer: compiled ' .. path)
end

--- For nvim-treesitter: tells it where the parser comes from, so that `:TSInstall glsl_coopmat` works.
function M.register()
  local root = M.repository()
  local function entry(parsers)
    parsers[M.LANGUAGE] = {
      install_info = {
        -- The sources beside this plugin, which are those of its queries. The branch `main` asks for `path`, `master` takes a folder as `url`.
        path = root,
        url = root or 'https://github.com/coopmat-analyzer/coopmat-analyzer',
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
