/** The tool of a free route. */
import type { FreeRoute } from '../free-route.ts'
import { isRefusal } from '../sale/refusals.ts'
import { rawParamsOf } from './arguments.ts'
import { inputSchemaOf } from './input-schema.ts'
import { answered, refused } from './results.ts'
import type { Tool } from './tool.ts'

export const freeTool = (route: FreeRoute, name: string, publicBaseUrl: string): Tool => ({
  described: {
    name,
    description: `${route.description} Free.`,
    inputSchema: inputSchemaOf({}),
    annotations: { readOnlyHint: true },
  },
  async call({ args }) {
    const raw = rawParamsOf({}, args)
    return isRefusal(raw) ? refused(raw, publicBaseUrl) : answered(JSON.stringify(await route.answer()))
  },
})
