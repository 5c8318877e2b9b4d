import { register } from 'tsx/esm/api'

register()
const { runFloodClient } = await import('./flood-client.ts')
await runFloodClient()
