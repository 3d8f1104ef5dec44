import { changesOf, type Change } from '../changes.ts'
import { accept, refuse, type Decider, type Decision } from '../decider.ts'
import { baseUrlProblem, sameOrigin, withoutTrailingSlash } from './base-url.ts'
import type {
  ProvisioningEvent,
  ProvisioningFailure,
  ProvisioningSettings,
  PushedAttributes,
} from './events.ts'

export interface ProvisioningState {
  readonly status: 'none' | 'configured' | 'removed'
  readonly enabled: boolean
  readonly settings: ProvisioningSettings | null
  readonly sealedToken: string
  readonly generation: number
  readonly failing: boolean
  /** The reason for the pause; null if it is not paused. */
  readonly paused: { readonly deactivations: number } | null
}

export type ProvisioningCommand =
  | {
      type: 'configure'
      applicationId: string
      baseUrl: string
      authScheme: 'bearer'
      userNameAttribute: 'email' | 'externalId'
      attributes: PushedAttributes
      enabled: boolean
      /** Omitted: the current token is kept. */
      sealedToken?: string
    }
  | { type: 'remove' | 'resume' | 'recover'; applicationId: string }
  | { type: 'request_sync'; applicationId: string; runId: string }
  | {
      type: 'fail'
      applicationId: string
      generation: number
      error: ProvisioningFailure
      httpStatus: number | null
    }
  | { type: 'pause'; applicationId: string; generation: number; deactivations: number; linked: number }

const initial: ProvisioningState = {
  status: 'none',
  enabled: false,
  settings: null,
  sealedToken: '',
  generation: 0,
  failing: false,
  paused: null,
}

const evolve = (state: ProvisioningState, { type, data }: ProvisioningEvent): ProvisioningState => {
  switch (type) {
    case 'provisioning.configured': {
      const { applicationId: _, sealedToken, generation, changes: __, ...settings } = data
      return {
        ...state,
        status: 'configured',
        settings,
        sealedToken,
        generation,
        paused: generation === state.generation ? state.paused : null,
      }
    }
    case 'provisioning.enabled':
      return { ...state, enabled: true }
    case 'provisioning.disabled':
      return { ...state, enabled: false }
    case 'provisioning.removed':
      return { ...initial, status: 'removed', generation: state.generation }
    case 'provisioning.failed':
      return { ...state, failing: true }
    case 'provisioning.recovered':
      return { ...state, failing: false }
    case 'provisioning.paused':
      return { ...state, paused: { deactivations: data.deactivations } }
    case 'provisioning.resumed':
      return { ...state, paused: null }
    case 'provisioning.sync_requested':
      return state
  }
}

type Configure = Extract<ProvisioningCommand, { type: 'configure' }>

/** Replaces a token in the changes of a record. */
const TOKEN = '•'

const settingsOf = ({ baseUrl, authScheme, userNameAttribute, attributes }: Configure) => ({
  baseUrl: withoutTrailingSlash(baseUrl),
  authScheme,
  userNameAttribute,
  attributes,
})

const configure = (command: Configure, state: ProvisioningState): Decision<ProvisioningEvent> => {
  const { applicationId, enabled } = command
  const problem = baseUrlProblem(command.baseUrl)
  if (problem !== null) return refuse('ERR_INVALID', `baseUrl: ${problem}`, '/baseUrl')
  const before = state.status === 'configured' ? state.settings : null
  const settings = settingsOf(command)
  if (command.sealedToken === undefined && before === null)
    return refuse('ERR_INVALID', "token: expected the application's SCIM token", '/token')
  if (command.sealedToken === undefined && before !== null && !sameOrigin(before.baseUrl, settings.baseUrl))
    return refuse('ERR_INVALID', 'token: required again because the base URL is on another server', '/token')
  const changes: readonly Change[] = [
    ...changesOf(before ?? {}, settings),
    ...(command.sealedToken === undefined
      ? []
      : [{ field: 'token', from: before === null ? null : TOKEN, to: TOKEN }]),
  ]
  const elsewhere = before?.baseUrl !== settings.baseUrl
  return accept<ProvisioningEvent>(
    ...(changes.length === 0
      ? []
      : [
          {
            type: 'provisioning.configured' as const,
            data: {
              applicationId,
              ...settings,
              sealedToken: command.sealedToken ?? state.sealedToken,
              generation: state.generation + (elsewhere ? 1 : 0),
              changes,
            },
          },
        ]),
    ...(enabled === state.enabled
      ? []
      : [
          {
            type: enabled ? ('provisioning.enabled' as const) : ('provisioning.disabled' as const),
            data: { applicationId },
          },
        ]),
  )
}

const decide = (command: ProvisioningCommand, state: ProvisioningState): Decision<ProvisioningEvent> => {
  if (command.type === 'configure') return configure(command, state)
  if (state.status !== 'configured') return refuse('ERR_NOT_CONFIGURED')
  const { applicationId } = command
  switch (command.type) {
    case 'remove':
      return accept({ type: 'provisioning.removed', data: { applicationId } })
    case 'request_sync':
      if (!state.enabled) return refuse('ERR_CONFLICT', 'Provisioning is disabled. Enable it first.')
      if (state.paused !== null) return refuse('ERR_CONFLICT', 'Provisioning is paused. Resume it first.')
      return accept({ type: 'provisioning.sync_requested', data: { applicationId, runId: command.runId } })
    case 'fail': {
      const { error, httpStatus, generation } = command
      return state.failing || generation !== state.generation
        ? accept()
        : accept({ type: 'provisioning.failed', data: { applicationId, error, httpStatus } })
    }
    case 'recover':
      return state.failing ? accept({ type: 'provisioning.recovered', data: { applicationId } }) : accept()
    case 'pause': {
      const { deactivations, linked, generation } = command
      return state.paused !== null || generation !== state.generation
        ? accept()
        : accept({ type: 'provisioning.paused', data: { applicationId, deactivations, linked } })
    }
    case 'resume':
      return state.paused === null
        ? accept()
        : accept({
            type: 'provisioning.resumed',
            data: { applicationId, allowed: state.paused.deactivations },
          })
  }
}

/** Outbound provisioning of one application. */
export const provisioningDecider: Decider<ProvisioningState, ProvisioningCommand, ProvisioningEvent> = {
  initial,
  evolve,
  decide,
}

export const provisioningStream = (applicationId: string): string => `provisioning-${applicationId}`
