import { html, type Html } from '../../../kernel/html.ts'
import { texts, type Language } from '../../../kernel/language.ts'
import type { IconName } from '../kit/icons.ts'
import { emblem, hiddenFields, htmlPage, type PageModel } from '../kit/layout.ts'

/** A way to continue after an error: a link, or a form that posts its hidden fields. */
export type ErrorAction =
  | { readonly label: string; readonly href: string }
  | {
      readonly label: string
      readonly form: { readonly action: string; readonly fields: Readonly<Record<string, string>> }
    }

export interface ErrorModel extends PageModel {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly message: string
  readonly requestId?: string | undefined
  /** Details for the developer or administrator. */
  readonly detail?: string | undefined
  readonly actions?: readonly ErrorAction[] | undefined
}

const words = texts({
  en: { backTo: (application: string) => `Back to ${application}`, reference: 'Reference' },
  de: { backTo: (application) => `Zurück zu ${application}`, reference: 'Referenz' },
})

/** The action that sends `access_denied` to the application that requested the sign-in. */
export const backToApplicationAction = (
  application: string,
  authRequestId: string,
  language: Language,
): ErrorAction => ({
  label: words[language].backTo(application),
  form: { action: '/sign-in/cancel', fields: { authRequest: authRequestId } },
})

const actionButton = (action: ErrorAction, index: number): Html => {
  const look = index === 0 ? 'button button-primary button-wide' : 'button button-wide'
  return 'href' in action
    ? html`<a class="${look}" href="${action.href}">${action.label}</a>`
    : html`<form method="post" action="${action.form.action}">
        ${hiddenFields(action.form.fields)}
        <button class="${look}" type="submit">${action.label}</button>
      </form>`
}

const iconOf = (status: number, code: string): { icon: IconName; kind: 'plain' | 'problem' } => {
  if (code.endsWith('_EXPIRED') || status === 503) return { icon: 'clock', kind: 'plain' }
  if (status === 403) return { icon: 'lock', kind: 'plain' }
  if (status === 404) return { icon: 'search', kind: 'plain' }
  return { icon: 'alert', kind: 'problem' }
}

/** The page for all errors; texts come from `error-texts.ts`. */
export const errorPage = (model: ErrorModel): string => {
  const { status, code, title, message, requestId, detail, actions = [] } = model
  const { icon, kind } = iconOf(status, code)
  return htmlPage(model, {
    title,
    width: 'focus',
    main: html`<section class="card card-focus">
      <div class="lead">
        ${emblem(icon, kind)}
        <h1>${title}</h1>
        <p>${message}</p>
      </div>
      ${actions.length > 0 && html`<div class="stack">${actions.map(actionButton)}</div>`}
      <p class="reference">
        ${code}${detail !== undefined && html`: ${detail}`}${requestId && html`<br />${words[model.language].reference} ${requestId}`}
      </p>
    </section>`,
  })
}
