import type { FreeRoute } from '../free-route.ts'
import { createLimit } from '../http/middleware.ts'
import { parseParams } from '../sale/params.ts'
import { isRefusal } from '../sale/refusals.ts'
import { rawParamsOf } from './arguments.ts'
import { inputSchemaOf } from './input-schema.ts'
import { answered, refused } from './results.ts'
import type { Tool } from './tool.ts'

type FreeToolDependencies = Readonly<{ publicBaseUrl: string; nowMs: () => number }>

export function freeTool(route: FreeRoute, name: string, { publicBaseUrl, nowMs }: FreeToolDependencies): Tool {
  // A tool without `perMinute` needs no limit of its own. The limit of MCP messages is already lower than the
  // shared limit of the free routes.
  const { params = {} } = route
  const limit = route.perMinute === undefined ? null : createLimit(route.perMinute, { nowMs, what: name })
  return {
    described: {
      name,
      description: `${route.description} Free.`,
      inputSchema: inputSchemaOf(params),
      annotations: { readOnlyHint: true },
    },
    async call({ args, address }) {
      const raw = rawParamsOf(params, args)
      const parsed = isRefusal(raw) ? { refusal: raw } : parseParams(params, raw)
      if ('refusal' in parsed) return refused(parsed.refusal, publicBaseUrl)
      const refusal = limit?.(address)
      return refusal ? refused(refusal, publicBaseUrl) : answered(JSON.stringify(await route.answer(parsed.values)))
    },
  }
}
