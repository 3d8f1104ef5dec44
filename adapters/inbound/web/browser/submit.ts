const form = document.querySelector<HTMLFormElement>('form[data-submit]')

// A field named "submit" hides the form's own method.
if (form) HTMLFormElement.prototype.submit.call(form)
