import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme, storedTheme } from './shell/theme.ts';
import { keepTokenOfAddress } from './sign-in/token-store.ts';
import './styles/tokens.css';
import './styles/prose.css';

keepTokenOfAddress();
applyTheme(storedTheme());
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
