import { importTypeScript } from '../../../infra/typescript/import.js'

const { runFloodClient } = await importTypeScript(new URL('./flood-client.ts', import.meta.url))
await runFloodClient()
