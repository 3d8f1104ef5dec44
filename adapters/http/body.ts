/** The bytes of a request body, within a size and a time. */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
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

/** A refused body is still read this far, so that a client that only reads after writing gets its answer. */
const DRAIN_BYTES = 16 * 1024 * 1024

const decoders: Record<string, (() => NodeJS.ReadWriteStream & Readable) | undefined> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Whether the request says that a body follows. */
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
 * @param limit bytes, counted after decompression
 * @param timeoutMs milliseconds until the last byte must have come
 * @throws BodyProblem
 */
export const readBody = (request: IncomingMessage, limit: number, timeoutMs: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
    const decoder = encoding === 'identity' ? undefined : decoders[encoding]?.()
    const source: Readable = decoder ?? request
    const chunks: Buffer[] = []
    let size = 0
    let settled = false

    const stop = (): void => {
      settled = true
      source.removeListener('data', take)
      if (decoder !== undefined) {
        request.unpipe(decoder)
        decoder.destroy()
      }
    }
    const refuse = (reason: BodyFailure): void => {
      if (settled) return
      stop()
      const answer = (): void => {
        clearTimeout(timer)
        reject(new BodyProblem(reason))
      }
      if (reason === 'too_slow' || reason === 'aborted' || request.readableEnded || request.destroyed)
        answer()
      else {
        drain(request, answer)
        drained = answer
      }
    }
    let drained: (() => void) | undefined
    const timer = setTimeout(() => {
      if (drained === undefined) refuse('too_slow')
      else drained()
    }, timeoutMs)
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > limit) refuse('too_large')
      else chunks.push(chunk)
    }

    // Whoever went away before now is not announced any more.
    if (request.destroyed && !request.readableEnded) {
      refuse('aborted')
      return
    }
    request.on('close', () => {
      if (!request.readableEnded) refuse('aborted')
    })
    request.on('error', () => refuse('aborted'))
    if (encoding !== 'identity' && decoder === undefined) {
      refuse('encoding')
      return
    }
    source.on('data', take)
    source.on('error', () => refuse('encoding'))
    source.on('end', () => {
      if (settled) return
      stop()
      clearTimeout(timer)
      resolve(Buffer.concat(chunks, size))
    })
    if (decoder !== undefined) request.pipe(decoder)
  })
