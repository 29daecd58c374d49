-- The way from instructions to the source and back, from the `map` of an answer to `coopmat-analyzer/spirv`.

local M = {}

--- One entry for each instruction and place: `instruction` and `source` are {line, character, end line, end character}.
function M.links(map, files)
  local found = {}
  for _, entry in ipairs(map) do
    -- What a macro wrote has a second place: where the text is spelled.
    for _, at in ipairs({ 5, 10 }) do
      local uri = entry[at] and files[entry[at] + 1]
      if type(uri) == 'string' then
        table.insert(found, {
          instruction = { entry[1], entry[2], entry[3], entry[4] },
          uri = uri,
          source = { entry[at + 1], entry[at + 2], entry[at + 3], entry[at + 4] },
        })
      end
    end
  end
  return found
end

local function before(line, character, other_line, other_character)
  return line < other_line or (line == other_line and character <= other_character)
end

local function holds(span, line, character)
  return before(span[1], span[2], line, character) and before(line, character, span[3], span[4])
end

local function inside(inner, outer)
  return holds(outer, inner[1], inner[2]) and holds(outer, inner[3], inner[4])
end

local function size(span)
  return (span[3] - span[1]) * 100000 + (span[4] - span[2])
end

--- What the smallest piece of source around a place became, with all that came from inside it.
function M.from_source(links, uri, line, character)
  local smallest
  for _, link in ipairs(links) do
    local around = link.uri == uri and holds(link.source, line, character)
    if around and (not smallest or size(link.source) < size(smallest)) then
      smallest = link.source
    end
  end
  if not smallest then
    return {}
  end
  return vim.tbl_filter(function(link) return link.uri == uri and inside(link.source, smallest) end, links)
end

--- Where the instruction in a line of the module comes from.
function M.from_instruction(links, line)
  return vim.tbl_filter(function(link) return link.instruction[1] <= line and line <= link.instruction[3] end, links)
end

return M
