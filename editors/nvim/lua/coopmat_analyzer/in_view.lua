-- What is in view of each buffer, as the server tells it: in `b:coopmat_analyzer`, for a status line. What was chosen is kept in a file for each project, and given to
-- the next server that starts for it.

local M = {}

local function file_of(root)
  local folder = vim.fs.joinpath(vim.fn.stdpath('state'), 'coopmat_analyzer')
  return folder, vim.fs.joinpath(folder, vim.fn.sha256(root or '') .. '.json')
end

local function root_of(client)
  return client and (client.root_dir or client.config.root_dir)
end

--- Before the server is started: what was chosen the last time.
function M.restore(params, config)
  local _, file = file_of(config.root_dir)
  local read, lines = pcall(vim.fn.readfile, file)
  local good, choices = pcall(vim.json.decode, read and table.concat(lines, '\n') or '')
  if read and good then
    params.initializationOptions = vim.tbl_extend('force', params.initializationOptions or {}, { choices = choices })
  end
end

--- `coopmat-analyzer/inView`.
function M.told(params, context)
  for _, document in ipairs(params.documents) do
    local buffer = vim.fn.bufnr(vim.uri_to_fname(document.uri))
    if buffer >= 0 then
      vim.b[buffer].coopmat_analyzer = document
    end
  end
  local folder, file = file_of(root_of(vim.lsp.get_client_by_id(context.client_id)))
  local kept = vim.json.encode(params.choices)
  local read, lines = pcall(vim.fn.readfile, file)
  if not read and kept == '{"shaders":{}}' or read and table.concat(lines, '\n') == kept then
    return
  end
  vim.fn.mkdir(folder, 'p')
  vim.fn.writefile({ kept }, file)
end

return M
