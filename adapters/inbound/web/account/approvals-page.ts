/** The access requests that a user decides. */
import type { AccessRequestRow } from '../../../../read-models/queries/access-requests.ts'
import { durationText } from '../../../../domain/duration-text.ts'
import { html, type Html } from '../../../kernel/html.ts'
import { formatLocale, texts, type Language } from '../../../kernel/language.ts'
import { moment } from '../kit/layout.ts'
import { opens } from './access-page.ts'
import { dialog } from './dialog.ts'
import { accountShell, empty, pageHead, section, type AccountFrame } from './frame.ts'

const words = texts({
  en: {
    about: 'Requests of others that wait for your decision. You never decide about your own access.',
    title: 'Waiting for you',
    none: 'Nothing waits for your decision.',
    what: {
      grant: (person: string, name: string) => `${person} requests ${name}`,
      extend: (person: string, name: string) => `${person} wants to keep ${name} longer`,
      remove: (person: string, name: string) => `${person} gives up ${name}`,
    },
    by: 'Requested by',
    reason: 'Reason',
    groups: 'Groups',
    duration: 'How long',
    starts: 'Starts',
    stage: 'Stage',
    stageOf: (stage: string, all: string) => `${stage} of ${all}`,
    until: 'Decide by',
    earlier: 'Decided so far',
    approve: 'Approve',
    deny: 'Deny',
    approveTitle: 'Approve this request?',
    denyTitle: 'Deny this request?',
    subject: html`<strong data-subject></strong>`,
    comment: 'Comment',
    commentHint: 'It stays with the request, and the requester can read it.',
  },
  de: {
    about:
      'Anfragen anderer, die auf Ihre Entscheidung warten. Über den eigenen Zugriff entscheiden Sie nie.',
    title: 'Wartet auf Sie',
    none: 'Nichts wartet auf Ihre Entscheidung.',
    what: {
      grant: (person, name) => `${person} beantragt ${name}`,
      extend: (person, name) => `${person} möchte ${name} länger behalten`,
      remove: (person, name) => `${person} gibt ${name} ab`,
    },
    by: 'Beantragt von',
    reason: 'Grund',
    groups: 'Gruppen',
    duration: 'Wie lange',
    starts: 'Beginnt',
    stage: 'Stufe',
    stageOf: (stage, all) => `${stage} von ${all}`,
    until: 'Entscheiden bis',
    earlier: 'Bisher entschieden',
    approve: 'Genehmigen',
    deny: 'Ablehnen',
    approveTitle: 'Diese Anfrage genehmigen?',
    denyTitle: 'Diese Anfrage ablehnen?',
    subject: html`<strong data-subject></strong>`,
    comment: 'Kommentar',
    commentHint: 'Er bleibt bei der Anfrage, und der Antragsteller kann ihn lesen.',
  },
})

/** A request, with what its package grants and the questions as the package has them now. */
export interface RequestToDecide {
  readonly request: AccessRequestRow
  readonly groups: readonly string[]
  /** The answers by the labels of their questions */
  readonly answers: readonly (readonly [label: string, answer: string])[]
}

export interface ApprovalsModel extends AccountFrame {
  readonly toDecide: readonly RequestToDecide[]
}

const fact = (name: string, value: Html | string | null): Html | false =>
  value !== null &&
  value !== '' &&
  html`<li><span class="soft small">${name}</span><span>${value}</span></li>`

const card = ({ request, groups, answers }: RequestToDecide, language: Language): Html => {
  const text = words[language]
  const { id, type, packageName, forUser, requester, stage, stages } = request
  const { requestedDuration, startsAt, expiresAt } = request
  const name = text.what[type](forUser.name, packageName)
  const earlier = request.decisions.flatMap(({ approverName, comment }) =>
    approverName === null ? [] : [comment === null ? approverName : `${approverName}: ${comment}`],
  )
  return section({
    id,
    title: name,
    body: html`<ul class="pairs">
        ${requester.id !== forUser.id && fact(text.by, requester.name)}
        ${fact(text.reason, request.justification)} ${fact(text.groups, groups.join(', '))}
        ${answers.map(([label, answer]) => fact(label, answer))}
        ${fact(text.duration, requestedDuration === null ? null : durationText(requestedDuration, formatLocale[language]))}
        ${fact(text.starts, startsAt === null ? null : moment(startsAt, language))}
        ${stages.length > 1 && fact(text.stage, text.stageOf(String(stage), String(stages.length)))}
        ${fact(text.earlier, earlier.join('; '))}
        ${fact(text.until, expiresAt === null ? null : moment(expiresAt, language))}
      </ul>
      <div class="actions section-foot needs-script">
        ${opens({ dialog: 'approve-request', id, name, label: text.approve, look: 'button-primary' })}
        ${opens({ dialog: 'deny-request', id, name, label: text.deny, look: 'button-danger' })}
      </div>`,
  })
}

const decisionDialog = (decision: 'approve' | 'deny', language: Language): Html => {
  const text = words[language]
  const name = `${decision}-request`
  return dialog({
    language,
    name,
    title: decision === 'approve' ? text.approveTitle : text.denyTitle,
    body: html`<p>${text.subject}</p>
      <div class="field">
        <label for="${name}-comment">${text.comment}</label>
        <textarea
          id="${name}-comment"
          name="comment"
          rows="3"
          maxlength="2000"
          aria-describedby="${name}-comment-hint"
          ${{ required: decision === 'deny' }}
        ></textarea>
        <p class="hint" id="${name}-comment-hint">${text.commentHint}</p>
      </div>`,
    confirm: text[decision],
    look: decision === 'approve' ? 'primary' : 'problem',
  })
}

/** The requests that wait for the user's decision. */
export const approvalsPage = (model: ApprovalsModel): string => {
  const { language, toDecide } = model
  const text = words[language]
  return accountShell(model, {
    name: 'approvals',
    head: pageHead('approvals', text.about, language),
    body:
      toDecide.length === 0
        ? section({ id: 'approvals', title: text.title, body: empty(text.none) })
        : html`${toDecide.map((one) => card(one, language))}`,
    dialogs: html`${decisionDialog('approve', language)} ${decisionDialog('deny', language)}`,
  })
}
