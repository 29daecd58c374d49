-- The parser and its queries in Neovim's tree-sitter, on real shaders. Environment: PARSER is where the parser is compiled to, SHADERS a folder.

local checks = dofile(vim.fs.joinpath(vim.fs.dirname(vim.env.SCRIPT), 'checks.lua'))
local check = checks.check

checks.run(function()
  local tree = require('coopmat_analyzer.treesitter')
  local path, problem = tree.compile(vim.env.PARSER)
  if not check('the parser compiles', path ~= nil, problem) then
    return
  end
  check('it is loaded', vim.treesitter.language.add(tree.LANGUAGE, { path = path }) == true)
  checks.say('ABI ' .. vim.treesitter.language.inspect(tree.LANGUAGE).abi_version)
  local names = { 'highlights', 'folds', 'locals', 'injections', 'textobjects', 'indents', 'tags' }
  for _, name in ipairs(names) do
    local read, query = pcall(vim.treesitter.query.get, tree.LANGUAGE, name)
    check(name .. '.scm loads', read and query ~= nil, tostring(query))
  end

  for _, name in ipairs({ 'highlights', 'brackets', 'indents', 'outline', 'injections' }) do
    local folder = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.env.SCRIPT))) .. '/zed/languages/glsl/'
    local text = table.concat(vim.fn.readfile(folder .. name .. '.scm'), '\n')
    local read, query = pcall(vim.treesitter.query.parse, tree.LANGUAGE, text)
    check("Zed's " .. name .. '.scm loads', read, tostring(query))
  end

  -- Every capture of every query, on every shader: predicates that this Neovim lacks fail when they are asked.
  local files = vim.fn.glob(vim.env.SHADERS .. '/*.comp', true, true)
  local captures, problems = 0, {}
  for _, file in ipairs(files) do
    local text = table.concat(vim.fn.readfile(file), '\n')
    local root = vim.treesitter.get_string_parser(text, tree.LANGUAGE):parse()[1]:root()
    for _, name in ipairs(names) do
      -- Indents are for nvim-treesitter, which brings predicates of its own.
      if name ~= 'indents' then
        local good, message = pcall(function()
          for _ in vim.treesitter.query.get(tree.LANGUAGE, name):iter_captures(root, text) do
            captures = captures + 1
          end
        end)
        if not good then
          table.insert(problems, vim.fs.basename(file) .. ' ' .. name .. ': ' .. tostring(message))
        end
      end
    end
  end
  check(('%d captures in %d shaders'):format(captures, #files), #problems == 0 and #files > 50, problems[1])

  -- In a buffer: colours, folds.
  vim.api.nvim_buf_set_lines(0, 0, -1, false, {
    '#version 460',
    'void main() {',
    '    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> left;',
    '    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> right[2];',
    '    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum = f();',
    '}',
  })
  vim.bo.filetype = 'glsl'
  vim.treesitter.start(0)
  check('the file type has this parser', vim.treesitter.get_parser(0):lang() == tree.LANGUAGE)
  vim.treesitter.get_parser(0):parse(true)
  local function captured(line, word)
    local text = vim.api.nvim_buf_get_lines(0, line, line + 1, false)[1]
    local column = text:find(word, 1, true) - 1
    local found = vim.tbl_map(function(one) return one.capture end, vim.treesitter.get_captures_at_pos(0, line, column))
    -- A name that begins with an underscore is a pattern's own.
    found = vim.tbl_filter(function(name) return not vim.startswith(name, '_') end, found)
    return found[#found], found
  end
  for _, one in ipairs({
    { 2, 'coopmat', 'type.builtin' },
    { 2, 'gl_MatrixUseA', 'constant.builtin' },
    { 2, 'left', 'variable.matrix.a' },
    { 3, 'right', 'variable.matrix.b' },
    { 4, 'sum', 'variable.matrix.accumulator' },
  }) do
    local last, all = captured(one[1], one[2])
    check(one[2] .. ' is @' .. one[3], last == one[3], all)
  end
  vim.wo.foldmethod, vim.wo.foldexpr = 'expr', 'v:lua.vim.treesitter.foldexpr()'
  vim.cmd('normal! zx')
  vim.wait(1000, function() return vim.fn.foldlevel(3) == 1 end)
  check('the body folds', vim.fn.foldlevel(3) == 1, vim.fn.foldlevel(3))
end)
