/** What a tool says of its arguments. They are judged by `rawParamsOf` and the route, never by the schema. */
import type { Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { schemaOfParams } from '../sale/param-schema.ts'
import type { Params } from '../sale/params.ts'

export function inputSchemaOf(params: Params): Tool['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(schemaOfParams(params), { io: 'input' })
  return schema as Tool['inputSchema']
}
