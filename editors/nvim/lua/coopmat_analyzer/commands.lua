-- The user's commands, and what the code lenses of the server ask the editor to do.

local M = {}

local RANGE_OF_BUFFER = -1

local spirv_words = {
  'inline', 'here', 'close', 'function=', 'optimise', 'source', 'env=vulkan1.', 'debug=lines', 'debug=full',
  'ids=numbers', 'spec=defaults', 'spec.',
}
local run_words = {
  'checked', 'checked=strict', 'create', 'lines', 'numerics=', 'ownership=',
}

local function among(words)
  return function(lead)
    return vim.tbl_filter(function(word) return vim.startswith(word, lead) end, words)
  end
end

local function spirv(command)
  local words, how = {}, 'split'
  for _, word in ipairs(command.fargs) do
    if word == 'inline' or word == 'here' or word == 'close' then
      how = word
    else
      table.insert(words, word)
    end
  end
  local preview = require('coopmat_analyzer.spirv')
  local parameters, problem = preview.options(words)
  local buffer = vim.api.nvim_get_current_buf()
  if not parameters then
    return require('coopmat_analyzer.client').warn(problem)
  elseif how == 'close' then
    local open = preview.preview(buffer)
    if open then
      vim.api.nvim_buf_delete(open.buffer, { force = true })
    end
    require('coopmat_analyzer.inline').close(buffer)
  elseif how == 'inline' then
    local first, last = 0, RANGE_OF_BUFFER
    if command.range > 0 then
      first, last = command.line1 - 1, command.line2
    end
    require('coopmat_analyzer.inline').toggle(buffer, first, last, parameters.options)
  elseif how == 'here' then
    preview.here(buffer, parameters)
  else
    preview.open(buffer, parameters)
  end
end

function M.create()
  local create = vim.api.nvim_create_user_command
  create('CoopmatSpirv', spirv, {
    nargs = '*',
    range = true,
    complete = among(spirv_words),
    desc = 'Show the SPIR-V of the shader in a split, or `inline` below its lines',
  })
  create('CoopmatRun', function(command)
    require('coopmat_analyzer.run').run(vim.api.nvim_get_current_buf(), command.fargs)
  end, { nargs = '*', complete = among(run_words), desc = 'Run the shader on the simulator as its recipe describes' })
  create('CoopmatConfig', function(command)
    local choose = require('coopmat_analyzer.choose')
    local act = command.bang and choose.favourite or choose.configuration
    act(vim.api.nvim_get_current_buf(), command.fargs[1])
  end, {
    nargs = '?',
    bang = true,
    complete = function(lead) return require('coopmat_analyzer.choose').complete_configuration(lead) end,
    desc = 'Choose the configuration that the shader is checked under',
  })
  create('CoopmatSpecialize', function(command)
    local name = command.args ~= '' and command.args or nil
    require('coopmat_analyzer.choose').specialization(vim.api.nvim_get_current_buf(), name)
  end, {
    nargs = '*',
    complete = function(lead) return require('coopmat_analyzer.choose').complete_specialization(lead) end,
    desc = 'Choose values of specialization constants: a set, `recipe`, or NAME=VALUE',
  })
  create('CoopmatCompare', function(command)
    local what, name = 'spirv', nil
    for _, word in ipairs(command.fargs) do
      if word == 'statistics' then
        what = word
      else
        name = word
      end
    end
    require('coopmat_analyzer.compare').compare(vim.api.nvim_get_current_buf(), name, what)
  end, {
    nargs = '*',
    complete = function(lead)
      local words = among({ 'statistics' })(lead)
      return vim.list_extend(words, require('coopmat_analyzer.choose').complete_configuration(lead))
    end,
    desc = 'Compare the SPIR-V, or the `statistics`, with those of another configuration',
  })
  create('CoopmatDevice', function(command)
    require('coopmat_analyzer.choose').device(vim.api.nvim_get_current_buf(), command.fargs[1])
  end, {
    nargs = '?',
    complete = function(lead) return require('coopmat_analyzer.choose').complete_device(lead) end,
    desc = 'Choose the device that shaders are checked against',
  })
  create('CoopmatPortability', function()
    require('coopmat_analyzer.portability').show(vim.api.nvim_get_current_buf())
  end, { desc = 'Show which devices can run the shader' })
  create('CoopmatSetUp', function() require('coopmat_analyzer.setup').begin(vim.api.nvim_get_current_buf()) end, {
    desc = 'Write a project file from the compiler calls of the build',
  })
  create('CoopmatParser', function(command) require('coopmat_analyzer.treesitter').build(command.fargs[1]) end, {
    nargs = '?',
    complete = 'dir',
    desc = 'Compile the tree-sitter parser of this plugin',
  })

  vim.lsp.handlers['coopmat-analyzer/askBuildCommand'] = function(_, question)
    return require('coopmat_analyzer.setup').ask(question)
  end

  -- Commands of code lenses: the first argument names the document.
  local lens = vim.lsp.commands
  local function buffer_of(command) return vim.uri_to_bufnr(command.arguments[1].uri) end
  lens['coopmat-analyzer.showSpirv'] = function(command)
    local parameters = { ['function'] = command.arguments[1]['function'] }
    require('coopmat_analyzer.spirv').open(buffer_of(command), parameters)
  end
  lens['coopmat-analyzer.run'] = function(command)
    require('coopmat_analyzer.run').run(buffer_of(command), {})
  end
  lens['coopmat-analyzer.createRecipe'] = function(command)
    require('coopmat_analyzer.run').run(vim.uri_to_bufnr(command.arguments[1]), { 'create' })
  end
  lens['coopmat-analyzer.showPortability'] = function(command)
    require('coopmat_analyzer.portability').show(buffer_of(command))
  end
  lens['coopmat-analyzer.chooseConfiguration'] = function(command)
    local argument = command.arguments[1]
    local uri = type(argument) == 'table' and argument.uri or argument
    require('coopmat_analyzer.choose').configuration(vim.uri_to_bufnr(uri), command.arguments[2])
  end
  lens['coopmat-analyzer.chooseSpecialization'] = function(command)
    local argument = command.arguments[1]
    local uri = type(argument) == 'table' and argument.uri or argument
    require('coopmat_analyzer.choose').specialization(vim.uri_to_bufnr(uri), command.arguments[2])
  end
  lens['coopmat-analyzer.showReferences'] = function(command)
    local client = require('coopmat_analyzer.client').of(0, true)
    if not client then
      return
    end
    local function show(locations)
      local items = vim.lsp.util.locations_to_items(locations or {}, client.offset_encoding)
      vim.fn.setqflist({}, ' ', { title = 'References', items = items })
      vim.cmd('botright copen')
    end
    local uri, position, locations = unpack(command.arguments)
    if type(locations) == 'table' then
      return show(locations)
    end
    -- They were too many to be counted above a line.
    local parameters =
      { textDocument = { uri = uri }, position = position, context = { includeDeclaration = false } }
    require('coopmat_analyzer.client').request(client, 'textDocument/references', parameters, show)
  end
end

return M
