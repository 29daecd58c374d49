-- `:CoopmatSetUp`, and the button "Set up this project": asks which command builds the shaders, when the server is about to run it.

local client_of = require('coopmat_analyzer.client')

local M = {}

function M.begin(buffer)
  local client = client_of.of(buffer, true)
  if not client then
    return
  end
  local parameters = { command = 'coopmat-analyzer.setUpProject', arguments = { vim.uri_from_bufnr(buffer) } }
  -- The server tells what came of it.
  client_of.request(client, 'workspace/executeCommand', parameters, function() end)
end

--- `window/showMessageRequest`. The offer to set a project up comes while somebody reads: a list to choose from would be in the way, a command is not.
function M.message(problem, params, context, config)
  local actions = params.actions or {}
  if #actions == 1 and actions[1].title == 'Set up this project' then
    vim.notify('coopmat-analyzer: ' .. params.message .. ' (Run :CoopmatSetUp to set it up.)', vim.log.levels.INFO)
    return vim.NIL
  end
  return vim.lsp.handlers['window/showMessageRequest'](problem, params, context, config)
end

--- What the user answers. The server's questions are handled in a coroutine, which waits.
local function answered(ask)
  local waiting = coroutine.running()
  ask(function(answer)
    vim.schedule(function() coroutine.resume(waiting, answer) end)
  end)
  return coroutine.yield()
end

--- `coopmat-analyzer/askBuildCommand`. To agree to the command is to trust the project, whose programs it runs.
function M.ask(question)
  local prompt = ('Set up this project: command that compiles its shaders, run in %s ({build} stands for a temporary folder): '):format(
    question.folder
  )
  local command = answered(function(done) vim.ui.input({ prompt = prompt, default = question.command }, done) end)
  if not command or vim.trim(command) == '' then
    return vim.NIL
  end
  if question.exists then
    local replace = 'Replace it'
    local choice = answered(function(done)
      vim.ui.select({ replace, 'Keep it' }, { prompt = question.file .. ' already exists.' }, done)
    end)
    if choice ~= replace then
      return vim.NIL
    end
  end
  return { command = command, trusted = true, replace = question.exists }
end

return M
