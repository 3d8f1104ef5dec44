import { defineCommand } from '../program.ts'

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Waits for the first signal; a second one ends the process immediately. */
const stopSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    for (const signal of stopSignals)
      process.once(signal, () => {
        resolve(signal)
        process.once(signal, () => process.exit(130))
      })
  })

export const serveCommand = defineCommand({
  command: 'serve',
  describe: 'Run migrations, then serve the API, the pages and the protocol endpoints',
  builder: (args) => args,
  handler: async () => {
    const stopping = new AbortController()
    const stopped = stopSignal().then((signal) => {
      stopping.abort()
      return signal
    })
    const { fromEnvironment } = await import('../server/environment.ts')
    const { config, log } = fromEnvironment()
    const { startService } = await import('../server/service.ts')
    const { setupNotice } = await import('../server/setup-link.ts')
    const { requestTracking } = await import('../../adapters/inbound/http/current-request.ts')
    const { endOnUnexpected } = await import('../server/unexpected.ts')
    const unexpected = endOnUnexpected({
      process,
      log,
      requests: requestTracking.logged,
      exit: (code) => process.exit(code),
    })
    const service = await startService(config, log, {
      signal: stopping.signal,
      terminal: process.stderr.isTTY ? process.stderr : undefined,
    })
    unexpected.attach(() => service.stop('refusing'))
    process.stdout.write(
      `Serving ${service.publicUrl} (listening on ${config.listen.host}:${String(service.port)})\n`,
    )
    const notice = await setupNotice(service.core).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason }, 'could not check whether a setup link is needed; create one with "svc bootstrap"')
      return null
    })
    if (notice !== null) process.stdout.write(notice)
    const signal = await stopped
    log.info({ signal }, 'stopping')
    await service.stop()
  },
})
