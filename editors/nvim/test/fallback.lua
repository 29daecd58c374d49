-- An old Neovim (Debian 12 has 0.7): diagnostics and hovers through the plugin, and the parser's format.
-- Environment: SERVER is the program, SHADER the file, SETTINGS the settings in JSON, PARSER the compiled parser.

local here = vim.fn.fnamemodify(vim.env.SCRIPT, ':h')
local checks = dofile(here .. '/checks.lua')
local check, wait = checks.check, checks.wait

checks.run(function()
  local version = vim.version()
  checks.say(string.format('Neovim %d.%d.%d', version.major, version.minor, version.patch))
  vim.g.coopmat_analyzer_config = { cmd = { vim.env.SERVER, 'lsp' }, init_options = vim.fn.json_decode(vim.env.SETTINGS) }
  local told = 0
  vim.api.nvim_create_autocmd('DiagnosticChanged', { callback = function() told = told + 1 end })
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.SHADER))
  local buffer = vim.api.nvim_get_current_buf()
  check('the file is recognised as GLSL', vim.bo[buffer].filetype == 'glsl', vim.bo[buffer].filetype)
  check('the server attaches', wait(function() return #vim.lsp.buf_get_clients(buffer) > 0 end))
  local function problems()
    return vim.tbl_filter(function(one) return one.severity <= vim.diagnostic.severity.WARN end, vim.diagnostic.get(buffer))
  end
  check('the server answers for the opened file', wait(function() return told > 0 end))
  check('a real shader has no diagnostics', #problems() == 0, problems()[1])

  local main = vim.fn.search([[^void main()]], 'w')
  vim.api.nvim_buf_set_lines(buffer, main, main, false, {
    '    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> test_a;',
    '    coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> test_b;',
    '    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> test_c;',
    '    test_c = coopMatMulAdd(test_a, test_b, test_c);',
  })
  local function errors()
    return vim.tbl_filter(function(one) return one.severity == vim.diagnostic.severity.ERROR end, vim.diagnostic.get(buffer))
  end
  check('a mistake is told', wait(function() return #errors() == 1 end), errors())
  local found = errors()[1]
  if not found then
    return
  end
  checks.say(found.message)
  check('with both numbers', found.message:find('16') ~= nil and found.message:find('32') ~= nil, found.message)
  vim.api.nvim_win_set_cursor(0, { found.lnum + 1, found.col })
  vim.lsp.buf.hover()
  local text
  wait(function()
    text = checks.floating()
    return text ~= nil
  end)
  check('the hover shows the matrix', text ~= nil and text:find('float16_t') ~= nil, text)
  vim.api.nvim_buf_set_lines(buffer, main, main + 4, false, {})
  check('taking the mistake back takes the diagnostic back', wait(function() return #problems() == 0 end))

  -- GLSL in strings of C++.
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.STRINGS))
  local strings = vim.api.nvim_get_current_buf()
  check('the server attaches to C++ with shaders', wait(function() return #vim.lsp.buf_get_clients(strings) > 0 end))
  check('and tells the mistake in place', wait(function()
    local all = vim.diagnostic.get(strings)
    return #all == 1 and all[1].code == 'undeclared-name' and vim.fn.getline(all[1].lnum + 1):sub(all[1].col + 1, all[1].end_col) == 'colour'
  end), vim.diagnostic.get(strings))
  vim.cmd('enew')
  vim.api.nvim_buf_set_name(0, vim.fn.tempname() .. '.cpp')
  vim.bo.filetype = 'cpp'
  vim.wait(200)
  check('and to no other C++', #vim.lsp.buf_get_clients(0) == 0)

  vim.cmd('checkhealth coopmat_analyzer')
  local health = checks.text(0)
  check('the health check finds the server', health:find('coopmat%-analyzer 0') ~= nil and health:find('ERROR', 1, true) == nil, health)

  -- The parser that the newer Neovim compiled.
  local loaded = pcall(vim.treesitter.require_language, 'glsl_coopmat', vim.env.PARSER)
  check("the parser's format is one that this Neovim reads", loaded)
  local parser = vim.treesitter.get_parser(buffer, 'glsl_coopmat')
  check('and it parses the shader', parser:parse()[1]:root():child_count() > 10)
end)
