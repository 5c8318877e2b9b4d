/**
 * The schema of a tool's arguments. It only describes the arguments. The checks are in `rawParamsOf` and in
 * the route.
 */
import type { Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { schemaOfParams } from '../sale/param-schema.ts'
import type { Params } from '../sale/params.ts'

export function inputSchemaOf(params: Params): Tool['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(schemaOfParams(params), { io: 'input' })
  return schema as Tool['inputSchema']
}
