// 关于模型与连接模型的词句。
import type { model as English } from "../en/model";

export const model: typeof English = {
  title: "模型",
  now: (name) => (name === "offline" ? "Prime 使用离线引擎：在本机按规则工作，没有模型。" : `Prime 正在使用 ${name}。`),
  connect: "连接模型",
  note: "保存之前会先实际问它一句。密钥加密保存，之后不再显示。",
  name: "模型",
  nameHint: "格式为 provider:model，可用 openai、anthropic、gemini、ollama",
  key: "密钥",
  keyHint: "Ollama 不需要，留空即可。",
  address: "地址",
  addressHint: "仅用于你自己的、兼容 OpenAI 接口的服务器。",
  attempt: "试一下",
  answered: (name, text) => `${name} 回答：“${text}”`,
  refused: (name, text) => `${name} 没有回答。${text}`,
  use: "使用它",
  used: (name) => `Prime 现在使用 ${name}。`,
  leave: "回到离线引擎",
  left: "已断开。",
};
