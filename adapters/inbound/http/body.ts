/** The bytes of a request body, within a size and a time. */
import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

export type BodyFailure = 'too_large' | 'too_slow' | 'encoding' | 'aborted'

export class BodyProblem extends Error {
  readonly reason: BodyFailure

  constructor(reason: BodyFailure) {
    super(`request body: ${reason}`)
    this.name = 'BodyProblem'
    this.reason = reason
  }
}

/** A rejected body is still read up to this size, so that a client that reads only after writing gets the response. */
const DRAIN_BYTES = 16 * 1024 * 1024

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** Limit of encoded bytes for a decoded size: encoding makes incompressible data a little longer. */
const encodedLimit = (limit: number): number => limit + (limit >> 8) + 64

/** Whether the request has a body. */
export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0

const drain = (request: IncomingMessage, done: () => void): void => {
  let rest = DRAIN_BYTES
  request.on('data', (chunk: Buffer) => {
    rest -= chunk.length
    if (rest < 0) done()
  })
  request.on('end', done)
  request.on('close', done)
  request.resume()
}

/**
 * Reads the whole body, decompressed.
 * @param limit bytes, counted after decompression; the compressed size has about the same limit
 * @param timeoutMs milliseconds within which the last byte must arrive
 * @throws BodyProblem
 */
export const readBody = (request: IncomingMessage, limit: number, timeoutMs: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
    const decoder = encoding === 'identity' ? undefined : decoders.get(encoding)?.()
    const source: Readable = decoder ?? request
    const chunks: Buffer[] = []
    let size = 0
    let encoded = 0
    let finished = false
    let drained: (() => void) | undefined
    let timer: NodeJS.Timeout | undefined

    const stop = (): void => {
      finished = true
      source.removeListener('data', take)
      if (decoder !== undefined) {
        request.removeListener('data', count)
        request.unpipe(decoder)
        decoder.destroy()
      }
    }
    const fail = (error: unknown): void => {
      finished = true
      clearTimeout(timer)
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    /** Timers and listeners have no caller, so an exception would end the process. It ends the reading instead. */
    const guarded =
      <Arguments extends readonly unknown[]>(work: (...args: Arguments) => void) =>
      (...args: Arguments): void => {
        try {
          work(...args)
        } catch (error) {
          fail(error)
        }
      }
    const refuse = (reason: BodyFailure): void => {
      if (finished) return
      stop()
      const answer = (): void => fail(new BodyProblem(reason))
      if (reason === 'too_slow' || reason === 'aborted' || request.readableEnded || request.destroyed)
        answer()
      else {
        drain(request, answer)
        drained = answer
      }
    }
    const take = guarded((chunk: Buffer) => {
      size += chunk.length
      if (size > limit) refuse('too_large')
      else chunks.push(chunk)
    })
    const count = guarded((chunk: Buffer) => {
      encoded += chunk.length
      if (encoded > encodedLimit(limit)) refuse('too_large')
    })
    const finish = guarded(() => {
      if (finished) return
      stop()
      clearTimeout(timer)
      resolve(Buffer.concat(chunks, size))
    })
    const begin = guarded(() => {
      // A client that disconnected before this point has no further events.
      if (request.destroyed && !request.readableEnded) {
        refuse('aborted')
        return
      }
      timer = setTimeout(
        guarded(() => {
          if (drained === undefined) refuse('too_slow')
          else drained()
        }),
        timeoutMs,
      )
      request.on(
        'close',
        guarded(() => {
          if (!request.readableEnded) refuse('aborted')
        }),
      )
      request.on(
        'error',
        guarded(() => refuse('aborted')),
      )
      if (encoding !== 'identity' && decoder === undefined) {
        refuse('encoding')
        return
      }
      source.on('data', take)
      source.on(
        'error',
        guarded(() => refuse('encoding')),
      )
      source.on('end', finish)
      if (decoder === undefined) return
      request.on('data', count)
      request.pipe(decoder)
    })
    begin()
  })
