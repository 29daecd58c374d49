-- The module beside the shader: a document that follows edits, hovers in it, and the instructions of a line beneath it.
-- Called by diagnostics.lua with the shader's buffer in view and without mistakes in it.

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
end

return function(check, source, line_of_main)
  local client = vim.lsp.get_clients({ bufnr = source, name = "coopmat-analyzer" })[1]
  local uri = "coopmat-spirv:" .. vim.uri_from_bufnr(source):gsub("^file://", "") .. ".spvasm?source"
  vim.cmd.vsplit({ args = { vim.fn.fnameescape(uri) } })
  local buffer = vim.api.nvim_get_current_buf()
  vim.bo[buffer].buftype, vim.bo[buffer].swapfile = "nofile", false
  check("the buffer is named by the document's URI", vim.uri_from_bufnr(buffer) == uri, vim.uri_from_bufnr(buffer))

  local failure
  local function fill()
    client:request("coopmat-analyzer/virtualDocument", { uri = uri }, function(error, text)
      failure = error and error.message
      if text and vim.api.nvim_buf_is_valid(buffer) then
        vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n"))
      end
    end)
  end
  client.handlers["coopmat-analyzer/virtualDocumentChanged"] = function(_, params)
    if params.uri == uri then fill() end
  end
  local function wait_for(wanted)
    return vim.wait(30000, function() return wanted(text_of(buffer)) end, 20)
  end
  fill()
  local arrived = wait_for(function(text) return text:find("OpCooperativeMatrixMulAddKHR", 1, true) ~= nil end)
  check("the shader's module is a document", arrived, failure)
  if not arrived then
    return
  end
  vim.lsp.buf_attach_client(buffer, client.id)

  -- Hover on the instruction, as `K` does.
  vim.fn.cursor(1, 1)
  vim.fn.search([[OpCooperativeMatrixMulAddKHR]], "W")
  local before = #vim.api.nvim_list_wins()
  vim.lsp.buf.hover()
  local shown = vim.wait(10000, function() return #vim.api.nvim_list_wins() > before end, 20)
  check("hovering an instruction opens a window", shown)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      local text = text_of(vim.api.nvim_win_get_buf(window))
      check("the hover explains it", text:find("A times B plus C", 1, true) ~= nil, text)
      check("the hover says where it comes from", text:find("From mul_mm.comp:", 1, true) ~= nil, text)
      vim.api.nvim_win_close(window, true)
    end
  end

  -- A mistake greys the module, and taking it back gives the module back.
  local good = text_of(buffer)
  vim.api.nvim_buf_set_lines(source, line_of_main, line_of_main, false, { "    nothing_of_this_name = 1;" })
  local stale = wait_for(function(text) return text:find("; Stale:", 1, true) == 1 end)
  check("a mistake leaves the last module, marked stale", stale and text_of(buffer):find("MulAddKHR") ~= nil)
  vim.api.nvim_buf_set_lines(source, line_of_main, line_of_main + 1, false, {})
  check("taking it back brings the module back", wait_for(function(text) return text == good end))

  -- The instructions of a line.
  local line = 0
  for number, text in ipairs(vim.api.nvim_buf_get_lines(source, 0, -1, false)) do
    if text:find("= coopMatMulAdd(", 1, true) then
      line = number - 1
    end
  end
  local range = { start = { line = line, character = 0 }, ["end"] = { line = line + 1, character = 0 } }
  local answer = client:request_sync("coopmat-analyzer/spirvLines", {
    textDocument = { uri = vim.uri_from_bufnr(source) },
    range = range,
  }, 10000, source)
  local opcodes = {}
  local found = answer and answer.result and answer.result.lines[1]
  for _, one in ipairs(found and found.instructions or {}) do
    opcodes[one.opcode] = true
  end
  check("a line unfolds into its instructions", opcodes["OpCooperativeMatrixMulAddKHR"] == true, vim.inspect(answer))
  vim.cmd.bwipeout({ args = { tostring(buffer) }, bang = true })
end
