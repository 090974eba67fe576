//! The words of many providers for one thing.

use serde_json::{Value, json};

/// What providers say where a conversation does not fit: status and body.
pub fn overflows() -> Vec<(u16, Value)> {
    let said = |status: u16, message: &str| (status, json!({"error": {"message": message}}));
    vec![
        (
            400,
            json!({"error": {"message": "Too much.", "type": "invalid_request_error", "code": "context_length_exceeded"}}),
        ),
        (
            400,
            json!({"error": {"message": "The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).", "status": "INVALID_ARGUMENT", "code": 400}}),
        ),
        (
            400,
            json!([{"error": {"code": 400, "message": "The input token count exceeds the maximum number of tokens allowed 1048576.", "status": "INVALID_ARGUMENT"}}]),
        ),
        said(
            400,
            "Unable to submit request because the input token count is 40000 but model only supports up to 32768.",
        ),
        (
            400,
            json!({"object": "error", "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "type": "invalid_request_prompt", "code": "3051"}),
        ),
        (
            400,
            json!({"code": "Client specified an invalid argument", "error": "This model's maximum prompt length is 131072 but the request contains 140000 tokens."}),
        ),
        said(400, "Input is too long for requested model."),
        (
            400,
            json!({"__type": "ValidationException", "message": "The model returned the following errors: Input Tokens Exceeded"}),
        ),
        (
            400,
            json!({"error": {"message": "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (66000 in the messages, 4000 in the completion).", "type": "invalid_request_error", "param": null, "code": "invalid_request_error"}}),
        ),
        (
            400,
            json!({"error": {"message": "Please reduce the length of the messages or completion.", "type": "invalid_request_error", "param": "messages"}}),
        ),
        (
            422,
            json!({"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`", "error_type": "validation"}),
        ),
        (
            400,
            json!({"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages.", "type": "BadRequestError", "param": null, "code": 400}),
        ),
        (
            400,
            json!({"object": "error", "message": "max_tokens must be at least 1, got -904.", "type": "BadRequestError", "code": 400}),
        ),
        (
            400,
            json!({"error": {"message": "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", "type": "invalid_request_error", "code": "invalid_parameter_error"}}),
        ),
        (
            400,
            json!({"message": "too many tokens: size limit exceeded by 8000 tokens. Try using shorter or fewer inputs. The limit for this model is 4081 tokens."}),
        ),
        said(400, "Token limit exceeded: input is too long"),
        said(400, "Invalid request: Your request exceeded model token limit: 262144 (requested: 263000)"),
        (400, json!({"error": {"code": "1261", "message": "Prompt exceeds max length"}})),
        (
            400,
            json!({"type": "error", "error": {"type": "bad_request_error", "message": "invalid params, context window exceeds limit (2013)"}}),
        ),
        (
            200,
            json!({"choices": null, "base_resp": {"status_code": 2013, "status_msg": "invalid params, context window exceeds limit"}}),
        ),
        (200, json!({"error_code": 336007, "error_msg": "the max input characters is 20000"})),
        (
            422,
            json!({"error": {"message": "Input validation error: `inputs` must have less than 8192 tokens. Given: 9000", "type": "invalid_request_error"}}),
        ),
        (
            422,
            json!({"detail": [{"loc": ["body", "messages"], "msg": "the prompt is longer than the context", "type": "value_error"}]}),
        ),
        (
            400,
            json!({"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}", "provider_name": "Anthropic"}}}),
        ),
        (
            400,
            json!({"errors": [{"code": "invalid_input_argument", "message": "the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model"}], "status_code": 400}),
        ),
        (
            400,
            json!({"errors": [{"message": "AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).", "code": 5021}], "success": false}),
        ),
        said(400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."),
        (
            400,
            json!({"error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}),
        ),
        (400, json!({"error": "prompt too long; exceeded max context length by 5 tokens"})),
        (
            400,
            json!({"error": {"code": 400, "message": "the request is larger than the slot", "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}}),
        ),
        (500, json!({"error": {"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}})),
        (
            413,
            json!({"error": {"code": "tokens_limit_reached", "message": "Request body too large for the model. Max size: 8000 tokens."}}),
        ),
        (
            413,
            json!({"type": "error", "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
        ),
        (200, json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long"}})),
        (400, json!({"error": {"message": "输入长度超过模型上下文上限", "code": "400"}})),
    ]
}
